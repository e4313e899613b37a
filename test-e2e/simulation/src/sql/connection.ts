/**
 * One connection to the simulated PostgreSQL, as the stream that `pg` writes to and reads from. It gives
 * whole trips to the server and passes on its answers.
 */
import { Duplex } from 'node:stream'
import type { Owner } from '../virtual/world.ts'
import { searchPathIn, tripsIn } from './protocol.ts'

export interface Trip {
  readonly connection: Connection
  readonly bytes: Buffer
}

export interface ConnectionParts {
  readonly backend: number
  readonly owner: Owner | undefined
  /** The connection asks for a session. */
  readonly onStartup: (connection: Connection) => void
  readonly onTrip: (trip: Trip) => void
  readonly onEnd: (connection: Connection) => void
}

export class Connection extends Duplex {
  readonly backend: number
  readonly owner: Owner | undefined
  searchPath = 'public'
  isOver = false
  readonly #parts: ConnectionParts
  #begun = false
  #bytes: Buffer = Buffer.alloc(0)

  constructor(parts: ConnectionParts) {
    super()
    this.#parts = parts
    this.backend = parts.backend
    this.owner = parts.owner
  }

  /** `pg` calls these as it would those of a socket. */
  connect(): this {
    // Nothing comes of what a dead process still begins.
    if (this.owner?.isDead() !== true) process.nextTick(() => this.emit('connect'))
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  /** The network is gone: nobody learns what became of what was sent. */
  cut(): void {
    this.destroy(new Error('Connection terminated unexpectedly'))
  }

  answer(bytes: Uint8Array): void {
    if (!this.isOver) this.push(bytes)
  }

  override _read(): void {
    // What there is has been pushed.
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#take(chunk)
    done()
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: () => void): void {
    this.#take(Buffer.concat(chunks.map(({ chunk }) => chunk)))
    done()
  }

  override _final(done: () => void): void {
    this.#end()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#end()
    done(error)
  }

  #take(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
    if (!this.#begun && !this.#begin()) return
    const { trips, rest, terminates } = tripsIn(this.#bytes)
    this.#bytes = rest
    for (const bytes of trips) this.#parts.onTrip({ connection: this, bytes })
    if (terminates) this.#end()
  }

  /** Whether the startup message is there as a whole. */
  #begin(): boolean {
    const length = this.#bytes.length < 4 ? Infinity : this.#bytes.readInt32BE(0)
    if (this.#bytes.length < length) return false
    this.searchPath = searchPathIn(this.#bytes.subarray(0, length))
    this.#bytes = this.#bytes.subarray(length)
    this.#begun = true
    this.#parts.onStartup(this)
    return true
  }

  #end(): void {
    if (this.isOver) return
    this.isOver = true
    this.#parts.onEnd(this)
    process.nextTick(() => {
      this.push(null)
      this.emit('close')
    })
  }
}
