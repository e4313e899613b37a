/**
 * Puts virtual time and seeded chance in the place of those of Node.js. Loaded before anything else: what
 * is loaded afterwards knows no other clock, timers or random numbers.
 */
import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { seededKeyPairs } from './keys.ts'
import {
  addImmediate,
  addTimer,
  chance,
  clearTimer,
  clock_ms,
  refreshTimer,
  since_ms,
  type Timer,
} from './world.ts'

const require = createRequire(import.meta.url)
const RealDate = Date

class VirtualDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    super(...((given.length === 0 ? [clock_ms()] : given) as [number]))
  }

  static override now(): number {
    return clock_ms()
  }
}

type TimerCallback = (...args: unknown[]) => void

/** What `setTimeout` returns: of the methods of Node.js those that have an effect. */
class Handle {
  readonly timer: Timer
  readonly #delay_ms: number

  constructor(timer: Timer, delay_ms: number) {
    this.timer = timer
    this.#delay_ms = delay_ms
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }

  refresh(): this {
    refreshTimer(this.timer, this.#delay_ms)
    return this
  }

  [Symbol.toPrimitive](): number {
    return this.timer.n
  }
}

const later = (run: TimerCallback, delay_ms = 0, ...args: unknown[]) =>
  new Handle(addTimer(run, delay_ms, args, false), delay_ms)
const repeatedly = (run: TimerCallback, delay_ms = 0, ...args: unknown[]) =>
  new Handle(addTimer(run, delay_ms, args, true), delay_ms)
const next = (run: TimerCallback, ...args: unknown[]) => new Handle(addImmediate(run, args), 0)
const clear = (handle: unknown) => {
  if (handle instanceof Handle) clearTimer(handle.timer)
}

const timers = {
  setTimeout: later,
  setInterval: repeatedly,
  setImmediate: next,
  clearTimeout: clear,
  clearInterval: clear,
  clearImmediate: clear,
}

interface WaitOptions {
  readonly signal?: AbortSignal | undefined
}

function wait<T>(delay_ms = 1, value?: T, { signal }: WaitOptions = {}): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(aborted(signal))
      return
    }
    const onAbort = () => {
      clear(handle)
      if (signal !== undefined) reject(aborted(signal))
    }
    const handle = later(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve(value)
    }, delay_ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

function aborted({ reason }: AbortSignal): Error {
  const error = new Error('The operation was aborted', { cause: reason })
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' })
}

function abortAfter(delay_ms: number): AbortSignal {
  const controller = new AbortController()
  const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
  later(() => controller.abort(reason), delay_ms)
  return controller.signal
}

function randomBytes(length: number, done?: (error: null, bytes: Buffer) => void): unknown {
  const bytes = Buffer.from(Array.from({ length }, () => chance().below(256)))
  if (done === undefined) return bytes
  next(() => done(null, bytes))
  return undefined
}

function randomUUID(): string {
  const bytes = Buffer.from(Array.from({ length: 16 }, () => chance().below(256)))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => hex.slice(from, to))
    .join('-')
}

function getRandomValues<T extends ArrayBufferView>(array: T): T {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
  for (let at = 0; at < bytes.length; at++) bytes[at] = chance().below(256)
  return array
}

/** At once: that of Node.js takes another thread, and a time that no seed decides. */
function digest(algorithm: string, bytes: Uint8Array): Promise<ArrayBuffer> {
  const digested = createHash(algorithm.replace('-', '')).update(bytes).digest()
  return Promise.resolve(Uint8Array.from(digested).buffer)
}

/** What the thread that digests large bodies is asked. */
interface Task {
  readonly n: number
  readonly operation: string
  readonly message: object
}

interface Digests {
  readonly digests: Readonly<Record<string, (message: object) => unknown>>
}

const digest_ms_max = 80

/** The thread of the edge that digests large bodies: it takes a while of virtual time, one body at a time. */
class DigestingWorker extends EventEmitter {
  readonly #code: Promise<Digests>
  #last: Promise<unknown>

  constructor(url: URL) {
    super()
    // What it does for the edge lies beside it; a file is read in no time.
    const file = new URL(url.href.replace('bodies/large-bodies-worker', 'digests'))
    this.#code = import(file.href) as Promise<Digests>
    this.#last = this.#code
    process.nextTick(() => this.emit('message', 'READS'))
  }

  ref(): void {
    // It does nothing that could keep the process running.
  }

  unref(): void {
    // As above.
  }

  postMessage({ n, operation, message }: Task): void {
    const before = this.#last
    this.#last = (async () => {
      await before
      await wait(1 + chance().below(digest_ms_max))
      const { digests } = await this.#code
      this.emit('message', { n, digest: digests[operation]?.(message) })
    })()
  }

  terminate(): Promise<number> {
    return Promise.resolve(0)
  }
}

function install(): void {
  Object.assign(globalThis, timers, { Date: VirtualDate })
  Object.assign(AbortSignal, { timeout: abortAfter })
  Object.assign(performance, { now: since_ms })
  Math.random = () => chance().random()
  Object.assign(require('node:timers') as object, timers)
  Object.assign(require('node:timers/promises') as object, {
    setTimeout: wait,
    setImmediate: (value: unknown) => new Promise((resolve) => next(() => resolve(value))),
  })
  const randomInt = (low: number, high?: number) =>
    high === undefined ? chance().below(low) : low + chance().below(high - low)
  Object.assign(require('node:crypto') as object, {
    randomBytes,
    randomUUID,
    randomInt,
    ...seededKeyPairs((length) => randomBytes(length) as Buffer),
  })
  Object.assign(globalThis.crypto, { randomUUID, getRandomValues })
  Object.assign(globalThis.crypto.subtle, { digest })
  answerFilesAtOnce()
  Object.assign(require('node:worker_threads') as object, { Worker: DigestingWorker })
  syncBuiltinESMExports()
}

/** How long the disk takes is no part of the seed. */
function answerFilesAtOnce(): void {
  const files = require('node:fs') as Record<string, (...args: unknown[]) => unknown> & {
    readonly promises: object
  }
  for (const name of ['readFile', 'readdir']) {
    const atOnce = files[`${name}Sync`]
    const answer = (...args: unknown[]) => new Promise((resolve) => resolve(atOnce?.(...args)))
    Object.assign(files.promises, { [name]: answer })
    Object.assign(require('node:fs/promises') as object, { [name]: answer })
  }
}

install()
