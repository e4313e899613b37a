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
const largeBody_bytes_min = 65_536

/** In MB, of the thread: the most that 5 MiB of JSON make is about 200. */
const memory_mb_max = 512

export interface LargeBodies {
  /** Begins the thread; resolves when it reads, rejects when it cannot be begun. */
  begin(): Promise<void>
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

/** What the thread says: it has loaded its code, and then what it has done. */
export type WorkerReply = 'READS' | Done

interface Waiting {
  readonly resolve: (digest: Digested<object>) => void
  readonly reject: (error: Error) => void
}

/** In the sources the types are cut away when a file is loaded; what is built has another ending. */
const workerFile = import.meta.url.endsWith('.ts')
  ? 'large-bodies-worker.ts'
  : 'large-bodies-worker.js'

interface Thread {
  readonly worker: Worker
  /** Resolves when it reads; rejects when it ends before. */
  readonly begun: Promise<void>
  readonly waiting: Map<number, Waiting>
}

/** The thread begins anew at once when it has ended, or with the next large body if it never read one. */
export function openLargeBodies({
  bytes_min = largeBody_bytes_min,
  mb_max = memory_mb_max,
  log,
}: {
  readonly bytes_min?: number
  readonly mb_max?: number
  readonly log: Pick<Logger, 'error'>
}): LargeBodies {
  let thread: Thread | undefined
  let last = 0

  function begin(): Thread {
    const opened = openThread(mb_max, log, () => {
      if (thread !== opened) return
      thread = undefined
      opened.begun.then(
        () => (thread ??= begin()),
        () => undefined,
      )
    })
    return opened
  }

  function digestBeside(
    operation: DigestedOperation,
    message: Digestible,
  ): Promise<Digested<object>> {
    thread ??= begin()
    const { worker, waiting } = thread
    last += 1
    const task: Task = { n: last, operation, message }
    worker.ref()
    worker.postMessage(task)
    return new Promise((resolve, reject) => waiting.set(task.n, { resolve, reject }))
  }

  return {
    begin() {
      thread ??= begin()
      return thread.begun
    },
    digest<Operation extends DigestedOperation>(operation: Operation, message: Digestible) {
      const { source, destination, version, body, encrypted, receivedAt, compatibility } = message
      const part = { source, destination, version, body, encrypted, receivedAt, compatibility }
      const digest =
        body.length < bytes_min ? digests[operation](part) : digestBeside(operation, part)
      return digest as DigestOf<Operation> | Promise<DigestOf<Operation>>
    },
    async stop() {
      const ending = thread
      thread = undefined
      await ending?.worker.terminate()
    },
  }
}

/** It keeps the process running only while something waits for it. */
function openThread(mb_max: number, log: Pick<Logger, 'error'>, onEnd: () => void): Thread {
  const worker = new Worker(new URL(workerFile, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: mb_max },
  })
  const waiting = new Map<number, Waiting>()
  const begun = new Promise<void>((resolve, reject) => {
    worker.on('message', (reply: WorkerReply) => {
      if (reply === 'READS') resolve()
      else settle(waiting, reply)
      if (waiting.size === 0) worker.unref()
    })
    worker.on('exit', () => {
      const ended = new Error('the thread that reads large bodies has ended')
      reject(ended)
      for (const one of waiting.values()) one.reject(ended)
      onEnd()
    })
  })
  begun.catch(() => undefined)
  worker.on('error', (error) => {
    log.error({ err: error }, 'the thread that reads large bodies has ended')
  })
  return { worker, begun, waiting }
}

function settle(waiting: Map<number, Waiting>, done: Done): void {
  const { resolve, reject } = waiting.get(done.n) ?? {}
  waiting.delete(done.n)
  if ('digest' in done) resolve?.(done.digest)
  else reject?.(new Error(done.fault))
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
