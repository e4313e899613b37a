/**
 * The other side of `wakeup_us` in `machine.ts`: sends back each byte, and reports its own CPU
 * time.
 */

process.stdin.on('data', (bytes) => process.stdout.write(bytes))
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
process.on('disconnect', () => process.exit(0))
