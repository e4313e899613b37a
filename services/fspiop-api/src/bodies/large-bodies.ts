/**
 * Large bodies are parsed in a separate thread, so that a bulk of 1,000 items delays no payment:
 * validating and hashing 0.5 to 5 MiB takes 20 to 80 ms of the main thread. Small ones are parsed at
 * once, because the hand-over to the thread costs about as much.
 */
import { Worker } from 'node:worker_threads'
import type { Logger } from '@causeway/process'
import type { ReadResult } from '../chain.ts'
import {
  digests,
  type DigestedOperation,
  type DigestedPayload,
  type Digested,
  type Digestible,
  type DigestOf,
} from '../digests.ts'
import { malformed } from './reading.ts'

/** About 100 items, measured: 2 ms. From this size on the thread is worth the hand-over. */
const largeBody_bytes_min = 65_536

/** The heap limit of the thread in MB: 5 MiB of JSON need at most about 200. */
const memory_mb_max = 512

export interface LargeBodies {
  /** Starts the thread; resolves when it is ready, rejects when it cannot be started. */
  begin(): Promise<void>
  /** Whether the body waits for its turn in the thread. */
  isLarge(body: Buffer): boolean
  /** Synchronous for a small body. Rejects when the thread ended while parsing it. */
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
  | { readonly digest: Digested<object> }
  | { readonly fault: string }
)

/** A message from the thread: ready, or the result of a task. */
export type WorkerReply = 'READS' | Done

interface PendingDigest {
  readonly resolve: (digest: Digested<object>) => void
  readonly reject: (error: Error) => void
}

/** The sources are TypeScript, whose types are stripped on load; the build is JavaScript. */
const workerFile = import.meta.url.endsWith('.ts')
  ? 'large-bodies-worker.ts'
  : 'large-bodies-worker.js'

interface Thread {
  readonly worker: Worker
  /** Resolves when it is ready; rejects when it ends before. */
  readonly begun: Promise<void>
  readonly waiting: Map<number, PendingDigest>
}

/** A thread that ends is restarted at once, or at the next large body if it never parsed one. */
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

  function digestInThread(
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
    isLarge: (body) => body.length >= bytes_min,
    digest<Operation extends DigestedOperation>(operation: Operation, message: Digestible) {
      const { source, destination, version, body, encrypted, receivedAt } = message
      const { compatibility, decimals } = message
      const head = { source, destination, version, receivedAt, compatibility, decimals }
      const part = { ...head, body, encrypted }
      const digest =
        body.length < bytes_min ? digests[operation](part) : digestInThread(operation, part)
      return digest as DigestOf<Operation> | Promise<DigestOf<Operation>>
    },
    async stop() {
      const ending = thread
      thread = undefined
      await ending?.worker.terminate()
    },
  }
}

/** It keeps the process running only while a task waits for it. */
function openThread(mb_max: number, log: Pick<Logger, 'error'>, onEnd: () => void): Thread {
  const worker = new Worker(new URL(workerFile, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: mb_max },
  })
  const waiting = new Map<number, PendingDigest>()
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

function settle(waiting: Map<number, PendingDigest>, done: Done): void {
  const { resolve, reject } = waiting.get(done.n) ?? {}
  waiting.delete(done.n)
  if ('digest' in done) resolve?.(done.digest)
  else reject?.(new Error(done.fault))
}

/** The reading of a message with a digested body: `make` receives the payload from the body. */
export function digestReading<Operation extends DigestedOperation>(
  largeBodies: LargeBodies,
  operation: Operation,
  message: Digestible,
  make: (payload: DigestedPayload<Operation>) => ReadResult,
): ReadResult {
  const readingOf = (digest: Digested<object>): ReadResult =>
    digest.ok
      ? make(digest.payload as DigestedPayload<Operation>)
      : malformed(digest.code, digest.detail)
  const digest = largeBodies.digest(operation, message)
  if (!(digest instanceof Promise)) return readingOf(digest)
  const later = async () => {
    const reading = readingOf(await digest)
    return reading.type === 'LATER' ? reading.reading() : reading
  }
  return { type: 'LATER', reading: later }
}
