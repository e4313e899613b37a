/** What stands between the hub and its database, and between its services: lets the planned faults strike. */
import type { CallFate } from '../hub/process.ts'
import type { Connection, Trip } from '../sql/connection.ts'
import type { Failure } from '../sql/protocol.ts'
import type { Line } from '../sql/server.ts'
import { chance, now_ms, type Owner } from '../virtual/world.ts'
import type { Moment, PlannedFault } from './plan.ts'

/** What the world does to a process. */
export interface Strikes {
  kill(owner: Owner): void
  stop(owner: Owner): void
  cutAll(): void
}

export interface Faults {
  readonly line: Line
  callFate(): CallFate
  /** From now on these strike, counted from here. */
  begin(planned: readonly PlannedFault[]): void
  end(): void
  /** How many have struck since the beginning. */
  struck(): number
}

const commit = Buffer.from('COMMIT\0')
/** A trip within the machine, in ms. */
const trip_ms_max = 3

export function openFaults(strikes: Strikes, seen: (bytes: Buffer) => void): Faults {
  let planned: readonly PlannedFault[] = []
  let done = new Set<PlannedFault>()
  let counts = { trips: 0, commits: 0, calls: 0 }
  let refused: { readonly failure: Failure; readonly until_ms: number } | undefined
  let lockedOut: { readonly failure: Failure; readonly until_ms: number } | undefined
  let struck = 0

  function isNow({ of, at }: Moment): boolean {
    return at === (of === 'TRIP' ? counts.trips : counts.commits)
  }

  /** Those of this kind whose moment it is, each once. */
  function due<Type extends PlannedFault['type']>(
    types: readonly Type[],
    isIt: (fault: Extract<PlannedFault, { type: Type }>) => boolean,
  ): readonly Extract<PlannedFault, { type: Type }>[] {
    return planned.filter((fault): fault is Extract<PlannedFault, { type: Type }> => {
      if (!types.some((type) => type === fault.type) || done.has(fault)) return false
      if (!isIt(fault as Extract<PlannedFault, { type: Type }>)) return false
      done.add(fault)
      struck += 1
      return true
    })
  }

  function breakOff(fault: { readonly type: 'CRASH' | 'CUT' }, connection: Connection): void {
    if (fault.type === 'CRASH' && connection.owner !== undefined) strikes.kill(connection.owner)
    else connection.cut()
  }

  function beginTimes({ owner }: Connection): void {
    for (const { sqlState, lasts_ms } of due(['REFUSE'], ({ moment }) => isNow(moment))) {
      refused = { failure: { sqlState, severity: 'ERROR' }, until_ms: now_ms() + lasts_ms }
    }
    for (const { sqlState, lasts_ms } of due(['LOCK_OUT'], ({ moment }) => isNow(moment))) {
      lockedOut = { failure: { sqlState, severity: 'FATAL' }, until_ms: now_ms() + lasts_ms }
      strikes.cutAll()
    }
    if (owner === undefined) return
    for (const { lasts_ms } of due(['FREEZE'], ({ moment }) => isNow(moment))) {
      owner.frozenUntil_ms = now_ms() + lasts_ms
    }
    for (const { ahead_ms } of due(['CLOCK'], ({ moment }) => isNow(moment))) {
      owner.ahead_ms = ahead_ms
    }
    for (const _ of due(['STOP'], ({ moment }) => isNow(moment))) strikes.stop(owner)
  }

  function before({ connection }: Trip): 'ARRIVES' | 'LOST' | Failure {
    counts.trips += 1
    beginTimes(connection)
    for (const fault of due(
      ['CRASH', 'CUT'],
      ({ when, moment }) => when === 'BEFORE' && isNow(moment),
    )) {
      breakOff(fault, connection)
    }
    if (connection.isOver) return 'LOST'
    if (refused === undefined) return 'ARRIVES'
    const { failure, until_ms } = refused
    if (now_ms() >= until_ms) refused = undefined
    return now_ms() > until_ms ? 'ARRIVES' : failure
  }

  function after({ bytes, connection }: Trip, answer: Buffer): boolean {
    seen(bytes)
    seen(answer)
    const commits = answer.includes(commit)
    if (commits) counts.commits += 1
    const isIt = ({ of, at }: Moment) =>
      of === 'TRIP' ? isNow({ of, at }) : commits && isNow({ of, at })
    for (const fault of due(
      ['CRASH', 'CUT'],
      ({ when, moment }) => when === 'AFTER' && isIt(moment),
    )) {
      breakOff(fault, connection)
    }
    return !connection.isOver
  }

  return {
    line: {
      delay_ms() {
        const slow = planned.find((fault) => fault.type === 'SLOW')
        if (slow === undefined) return 0
        return chance().happens(slow.probability)
          ? 1 + chance().below(slow.delay_ms)
          : chance().below(trip_ms_max)
      },
      before,
      after,
      startup: () =>
        lockedOut !== undefined && now_ms() < lockedOut.until_ms ? lockedOut.failure : undefined,
    },
    callFate() {
      counts.calls += 1
      const [fault] = due(['CALL'], ({ at }) => at === counts.calls)
      if (fault === undefined) return 'HANDLED'
      const details = 'injected'
      const error = Object.assign(new Error(details), { code: fault.code, details })
      return fault.isHandled ? { answer: 'LOST', error } : { answer: 'REFUSED', error }
    },
    begin(faults) {
      planned = faults
      done = new Set()
      counts = { trips: 0, commits: 0, calls: 0 }
      struck = faults.filter(({ type }) => type === 'SLOW').length
    },
    end() {
      planned = []
      refused = undefined
      lockedOut = undefined
    },
    struck: () => struck,
  }
}
