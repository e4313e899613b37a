/**
 * The thread that parses large bodies: one at a time, in order of arrival. Where cores are scarce the
 * thread of the payments and PostgreSQL come first.
 */
import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { digests } from '../digests.ts'
import type { Done, WorkerReply, Task } from './large-bodies.ts'

/** As in `nice`: it gets a tenth of the time of a thread that competes with it. */
const priority = 10

// Linux has a priority for each thread; elsewhere it would be that of the whole process. Raising it is not
// permitted.
if (process.platform === 'linux') setPriority(Math.max(priority, getPriority()))

const post = (reply: WorkerReply) => parentPort?.postMessage(reply)

parentPort?.on('message', ({ n, operation, message }: Task) => post(done(n, operation, message)))
post('READS')

function done(n: number, operation: Task['operation'], message: Task['message']): Done {
  // A Buffer arrives as a plain Uint8Array.
  const bytes: Uint8Array = message.body
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return { n, digest: digests[operation]({ ...message, body }) }
  } catch (error) {
    return { n, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
