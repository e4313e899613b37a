/** Starts the hub, and starts it again when its process has ended, as the supervisor of a machine does. */
import type { Logger } from '@causeway/process'
import type { SqlServer } from '../sql/server.ts'
import { chance, ownedBy, rest, Owner } from '../virtual/world.ts'
import { openProcess, type HubProcess, type Surroundings } from './process.ts'

export interface SupervisorParts extends Omit<Surroundings, 'connect'> {
  readonly server: () => SqlServer
  /** Begins to observe a process that has just started. */
  readonly onOpen: (process: HubProcess) => Promise<void>
  readonly log: Logger
}

const start_ms_max = 3_000
const stop_ms_max = 30_000
const ask_every_ms = 100
const ask_ms_max = 10_000

export class Supervisor {
  readonly #parts: SupervisorParts
  #current: HubProcess | undefined
  #starting: Owner | undefined
  #processes = 0
  #isOver = false

  constructor(parts: SupervisorParts) {
    this.#parts = parts
    void this.#begin()
  }

  /** Undefined: it has ended, or starts. */
  process(): HubProcess | undefined {
    return this.#current
  }

  kill(owner: Owner): void {
    if (owner.isDead()) return
    owner.die()
    if (this.#current?.owner === owner) {
      this.#current.kill()
      this.#current = undefined
    }
    if (this.#starting === owner) this.#starting = undefined
    this.#parts.server().cut(owner)
    if (!this.#isOver) void rest(chance().below(start_ms_max)).then(() => this.#begin())
  }

  /** Stops it in order; it is killed if that takes too long. */
  stop(owner: Owner): void {
    const stopping = this.#current
    if (stopping?.owner !== owner) return
    const { log } = this.#parts
    void rest(0)
      .then(() => Promise.race([stopping.stop(), rest(stop_ms_max)]))
      .catch((error: unknown) => log.warn({ err: error }, 'the hub did not stop in order'))
      .then(() => this.kill(owner))
  }

  /** Sets the clock of the process that serves. */
  setClockRight(): void {
    if (this.#current !== undefined) this.#current.owner.ahead_ms = 0
  }

  /** Kills the process for good. */
  end(): void {
    this.#isOver = true
    for (const owner of [this.#current?.owner, this.#starting]) {
      if (owner !== undefined) this.kill(owner)
    }
  }

  /** Asks until there is an answer. */
  async ask<T>(question: (process: HubProcess) => Promise<T>): Promise<T> {
    for (;;) {
      const asked = this.#current
      if (asked !== undefined) {
        const answer = await Promise.race([
          ownedBy(asked.owner, () => question(asked)).then(
            (value) => ({ value }),
            () => undefined,
          ),
          rest(ask_ms_max).then(() => undefined),
        ])
        if (answer !== undefined) return answer.value
      }
      await rest(ask_every_ms)
    }
  }

  async #begin(): Promise<void> {
    const owner = new Owner(`hub ${++this.#processes}`)
    this.#starting = owner
    const { server, onOpen, log, ...around } = this.#parts
    try {
      const opened = await openProcess(owner, { ...around, log, connect: () => server().connect() })
      await ownedBy(owner, () => onOpen(opened))
      if (owner.isDead()) return
      this.#starting = undefined
      this.#current = opened
    } catch (error) {
      if (owner.isDead()) return
      log.error({ err: error }, 'the hub did not start')
      this.kill(owner)
    }
  }
}
