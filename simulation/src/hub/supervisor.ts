/** Starts the hub, and starts it again when its process has ended, as the supervisor of a machine does. */
import type { Logger } from '@causeway/process'
import type { SqlServer } from '../sql/server.ts'
import { chance, ownedBy, rest, type Owner } from '../virtual/world.ts'
import { openProcess, type HubProcess, type Surroundings } from './process.ts'

export interface Supervisor {
  /** Undefined: it has ended, or starts. */
  process(): HubProcess | undefined
  kill(owner: Owner): void
  /** Stops it in order; it is killed if that takes too long. */
  stop(owner: Owner): void
  /** Asks until there is an answer. */
  ask<T>(question: (process: HubProcess) => Promise<T>): Promise<T>
  /** How often a process has ended. */
  ends(): number
  /** Kills the process for good. */
  end(): void
}

export interface SupervisorParts extends Omit<Surroundings, 'connect'> {
  readonly server: () => SqlServer
  /** What FSPs have to do with a process that has just started. */
  readonly onOpen: (process: HubProcess) => Promise<void>
  readonly log: Logger
}

const start_ms_max = 3_000
const stop_ms_max = 30_000
const ask_every_ms = 100
const ask_ms_max = 10_000

export function openSupervisor(parts: SupervisorParts): Supervisor {
  let current: HubProcess | undefined
  let starting: Owner | undefined
  let processes = 0
  let ends = 0
  let isOver = false

  async function begin(): Promise<void> {
    const owner: Owner = {
      name: `hub ${++processes}`,
      isDead: false,
      frozenUntil_ms: 0,
      ahead_ms: 0,
    }
    starting = owner
    const connect = () => parts.server().connect()
    try {
      const opened = await openProcess(owner, { ...parts, connect })
      await ownedBy(owner, () => parts.onOpen(opened))
      if (owner.isDead || starting !== owner) return
      starting = undefined
      current = opened
    } catch (error) {
      if (owner.isDead) return
      parts.log.warn({ err: error }, 'the hub did not start')
      kill(owner)
    }
  }

  function beginLater(): void {
    if (!isOver) void rest(chance().below(start_ms_max)).then(begin)
  }

  function kill(owner: Owner): void {
    if (owner.isDead) return
    owner.isDead = true
    ends += 1
    if (current?.owner === owner) {
      current.kill()
      current = undefined
    }
    if (starting === owner) starting = undefined
    parts.server().cut(owner)
    beginLater()
  }

  void begin()
  return {
    process: () => current,
    kill,
    stop(owner) {
      if (current?.owner !== owner) return
      const stopping = current
      void rest(0)
        .then(() => Promise.race([stopping.stop(), rest(stop_ms_max)]))
        .catch((error: unknown) => parts.log.warn({ err: error }, 'the hub did not stop in order'))
        .then(() => kill(owner))
    },
    async ask(question) {
      for (;;) {
        const asked = current
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
    },
    ends: () => ends,
    end() {
      isOver = true
      for (const owner of [current?.owner, starting]) if (owner !== undefined) kill(owner)
    },
  }
}
