/** The thread that parses large bodies: one at a time, in order of arrival. */
import { parentPort } from 'node:worker_threads'
import { digests } from './digests.ts'
import type { Done, WorkerReply, Task } from './large-bodies.ts'

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
