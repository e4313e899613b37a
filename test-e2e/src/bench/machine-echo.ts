/** The other side of `wakeup_us` of `machine.ts`: sends back each byte, and tells its own CPU time. */

process.stdin.on('data', (bytes) => process.stdout.write(bytes))
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
process.on('disconnect', () => process.exit(0))
