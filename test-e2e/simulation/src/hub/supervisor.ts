/** Starts each process of the hub, and starts it again when it has ended, as the supervisor of a machine does. */
import type { Logger } from '@causeway/process'
import type { SqlServer } from '../sql/server.ts'
import { chance, ownedBy, rest, Owner } from '../virtual/world.ts'
import { openProcess, type HubProcess, type Surroundings } from './process.ts'

export interface SupervisorParts extends Omit<Surroundings, 'connect' | 'replicas'> {
  readonly server: () => SqlServer
  /** How many processes there are. */
  readonly processes: number
  /** Begins to observe a process that has just started. */
  readonly onOpen: (process: HubProcess) => Promise<void>
  readonly log: Logger
}

/** Of one process after the other. */
interface Place {
  current: HubProcess | undefined
  starting: Owner | undefined
}

const start_ms_max = 3_000
const stop_ms_max = 30_000
const ask_every_ms = 100
const ask_ms_max = 10_000

export class Supervisor {
  readonly #parts: SupervisorParts
  readonly #places: readonly Place[]
  readonly #replicas: Surroundings['replicas'] = new Map()
  #processes = 0
  #startsAgain = true

  constructor(parts: SupervisorParts) {
    this.#parts = parts
    this.#places = Array.from({ length: parts.processes }, () => ({
      current: undefined,
      starting: undefined,
    }))
    for (const place of this.#places) void this.#begin(place)
  }

  /** Any that serves; undefined: each has ended, or starts. */
  process(): HubProcess | undefined {
    const serving = this.processes()
    return serving.length > 1 ? chance().oneOf(serving) : serving[0]
  }

  /** Those that serve. */
  processes(): readonly HubProcess[] {
    return this.#places.flatMap(({ current }) => current ?? [])
  }

  /** Whether all of them serve. */
  isComplete(): boolean {
    return this.#places.every(({ current }) => current !== undefined)
  }

  kill(owner: Owner): void {
    if (owner.isDead()) return
    owner.die()
    this.#replicas.delete(owner.name)
    this.#parts.server().cut(owner)
    for (const place of this.#places) {
      const { current, starting } = place
      if (current?.owner !== owner && starting !== owner) continue
      current?.kill()
      Object.assign(place, { current: undefined, starting: undefined })
      if (this.#startsAgain) void rest(chance().below(start_ms_max)).then(() => this.#begin(place))
    }
  }

  /** Stops it in order; it is killed if that takes too long. */
  stop(owner: Owner): void {
    const stopping = this.processes().find((process) => process.owner === owner)
    if (stopping === undefined) return
    void rest(0).then(() => this.#stopInOrder(stopping))
  }

  /** Stops all processes in order, and starts them again after something has happened. */
  async startAgainAfter(something: () => void): Promise<void> {
    this.#startsAgain = false
    await Promise.all(this.processes().map((process) => this.#stopInOrder(process)))
    something()
    this.#startsAgain = true
    for (const place of this.#places) void this.#begin(place)
  }

  /** Sets the clocks of the processes that serve. */
  setClocksRight(): void {
    for (const { owner } of this.processes()) owner.ahead_ms = 0
  }

  /** Kills the processes for good. */
  end(): void {
    this.#startsAgain = false
    for (const { current, starting } of this.#places) {
      for (const owner of [current?.owner, starting]) if (owner !== undefined) this.kill(owner)
    }
  }

  /** Asks until there is an answer. */
  async ask<T>(question: (process: HubProcess) => Promise<T>): Promise<T> {
    for (;;) {
      const asked = this.process()
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

  async #stopInOrder(stopping: HubProcess): Promise<void> {
    const { log } = this.#parts
    await Promise.race([stopping.stop(), rest(stop_ms_max)]).catch((error: unknown) =>
      log.warn({ err: error }, 'the hub did not stop in order'),
    )
    this.kill(stopping.owner)
  }

  async #begin(place: Place): Promise<void> {
    const owner = new Owner(`hub ${++this.#processes}`)
    place.starting = owner
    const { server, onOpen, log, ...around } = this.#parts
    const replicas = this.#replicas
    const connect = () => server().connect()
    try {
      const opened = await openProcess(owner, { ...around, log, replicas, connect })
      await ownedBy(owner, () => onOpen(opened))
      if (owner.isDead()) return
      Object.assign(place, { current: opened, starting: undefined })
    } catch (error) {
      if (owner.isDead()) return
      log.error({ err: error }, 'the hub did not start')
      this.kill(owner)
    }
  }
}
