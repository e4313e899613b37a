/** The sandbox FSPs as a process; with SANDBOX_EXIT_WITH_PARENT=on it ends with its parent. */
import { run } from '@causeway/process'
import { readFsps } from './fsps.ts'
import { start } from './service.ts'
import { settings } from './settings.ts'

await run('sandbox-fsp', settings, async (values, log) => {
  const sandbox = await start(values, await readFsps(values), log)
  if (values.SANDBOX_EXIT_WITH_PARENT === 'on') exitWithParent()
  return sandbox
})

/**
 * The parent holds the other end of the standard input; it closes even when the parent is killed.
 */
function exitWithParent(): void {
  const stop = () => process.kill(process.pid, 'SIGTERM')
  process.stdin.resume().once('close', stop)
}
