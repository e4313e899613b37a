/**
 * Large bodies are read in a thread of their own, so that a bulk of 1,000 items holds up no payment: to
 * judge and hash 0.5 to 5 MiB takes 20 to 80 ms of the main thread. Small ones are read at once, because
 * the way to the thread and back costs about as much.
 */
import type { Logger } from '@causeway/runtime'
import { Worker } from 'node:worker_threads'
import type { Reading } from './chain.ts'
import {
  digests,
  type DigestedOperation,
  type DigestedPayload,
  type Digested,
  type Digestible,
  type DigestOf,
} from './digests.ts'
import { malformed } from './reading.ts'

/** 100 items, measured: 2 ms. From there on the thread is worth its way. */
export const largeBody_bytes_min = 65_536

export interface LargeBodies {
  /** Answers at once for a small body. Rejects when the thread ended over it. */
  digest<Operation extends DigestedOperation>(
    operation: Operation,
    message: Digestible,
  ): DigestOf<Operation> | Promise<DigestOf<Operation>>
  stop(): Promise<void>
}

export interface Task {
  readonly n: number
  readonly operation: DigestedOperation
  readonly message: Digestible
}

export type Done = { readonly n: number } & (
  { readonly digest: Digested<object> } | { readonly fault: string }
)

interface Waiting {
  readonly resolve: (digest: Digested<object>) => void
  readonly reject: (error: Error) => void
}

/** In the sources the types are cut away when a file is loaded; what is built has another ending. */
const workerFile = import.meta.url.endsWith('.ts')
  ? 'large-bodies-worker.ts'
  : 'large-bodies-worker.js'

/** The thread is begun with the first large body, and begun anew when it has ended. */
export function openLargeBodies({
  bytes_min = largeBody_bytes_min,
  log,
}: {
  readonly bytes_min?: number
  readonly log: Pick<Logger, 'error'>
}): LargeBodies {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let last = 0

  function begin(): Worker {
    const begun = new Worker(new URL(workerFile, import.meta.url))
    begun.on('message', (done: Done) => {
      const { resolve, reject } = waiting.get(done.n) ?? {}
      waiting.delete(done.n)
      if (waiting.size === 0) begun.unref()
      if ('digest' in done) resolve?.(done.digest)
      else reject?.(new Error(done.fault))
    })
    begun.on('error', (error) => {
      log.error({ err: error }, 'the thread that reads large bodies has ended')
    })
    begun.on('exit', () => {
      if (worker === begun) worker = undefined
      for (const { reject } of waiting.values()) reject(new Error('the thread has ended'))
      waiting.clear()
    })
    return begun
  }

  function digestBeside(
    operation: DigestedOperation,
    message: Digestible,
  ): Promise<Digested<object>> {
    worker ??= begin()
    last += 1
    const task: Task = { n: last, operation, message }
    worker.ref()
    worker.postMessage(task)
    return new Promise((resolve, reject) => waiting.set(task.n, { resolve, reject }))
  }

  return {
    digest<Operation extends DigestedOperation>(operation: Operation, message: Digestible) {
      const { source, destination, version, body, encrypted, receivedAt, compatibility } = message
      const part = { source, destination, version, body, encrypted, receivedAt, compatibility }
      const digest =
        body.length < bytes_min ? digests[operation](part) : digestBeside(operation, part)
      return digest as DigestOf<Operation> | Promise<DigestOf<Operation>>
    },
    async stop() {
      await worker?.terminate()
    },
  }
}

/** What becomes of a message whose body is digested: `make` has the payload, as far as the body tells it. */
export function digestReading<Operation extends DigestedOperation>(
  largeBodies: LargeBodies,
  operation: Operation,
  message: Digestible,
  make: (payload: DigestedPayload<Operation>) => Reading,
): Reading {
  const readingOf = (digest: Digested<object>): Reading =>
    digest.ok
      ? make(digest.payload as DigestedPayload<Operation>)
      : malformed(digest.code, digest.detail)
  const digest = largeBodies.digest(operation, message)
  if (!(digest instanceof Promise)) return readingOf(digest)
  return { type: 'LATER', reading: () => digest.then(readingOf) }
}
