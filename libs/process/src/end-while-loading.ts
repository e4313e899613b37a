/**
 * Ends a process on SIGINT and SIGTERM while its program is still being loaded: the first process of a
 * container is sent only the signals that it handles (pid_namespaces(7)), and a program handles none
 * before it runs. Imported before the program, `node --import`. Once the program has a handler of its
 * own, that one alone decides.
 */
import { constants } from 'node:os'

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // As a shell reports a process that a signal has ended: its work is not done.
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal])
  })
}
