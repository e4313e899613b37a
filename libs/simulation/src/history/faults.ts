/** What stands between the hub and its database, and between its services: lets the planned faults strike. */
import type { CallFate } from '../hub/process.ts'
import type { Connection, Trip } from '../sql/connection.ts'
import { statementsIn, type Failure } from '../sql/protocol.ts'
import type { Line } from '../sql/server.ts'
import { chance, now_ms, type Owner } from '../virtual/world.ts'
import type { Moment, PlannedFault } from './plan.ts'

/** What the world does to a process. */
export interface Strikes {
  kill(owner: Owner): void
  stop(owner: Owner): void
  cutAll(): void
}

interface Refusal {
  readonly failure: Failure
  readonly until_ms: number
}

type FaultOf<Type extends PlannedFault['type']> = Extract<PlannedFault, { readonly type: Type }>

const none = { TRIP: 0, WRITE: 0, COMMIT: 0, calls: 0, callbacks: 0, requests: 0 }
const commit = Buffer.from('COMMIT\0')
const writes = /\b(?:insert into|update|delete from)\b/
/** A trip within the machine. */
const trip_ms_max = 3

export class Faults implements Line {
  readonly #strikes: Strikes
  readonly #seen: (bytes: Buffer) => void
  #planned: readonly PlannedFault[] = []
  #begun_ms = 0
  #struck = new Set<PlannedFault>()
  #counts = { ...none }
  /** The names of statements that write. */
  readonly #writing = new Set<string>()
  #refused: Refusal | undefined
  #lockedOut: Refusal | undefined

  /** @param seen gets every byte that reaches the server, and every one of its answers */
  constructor(strikes: Strikes, seen: (bytes: Buffer) => void) {
    this.#strikes = strikes
    this.#seen = seen
  }

  /** From now on these strike, counted from here. */
  begin(planned: readonly PlannedFault[]): void {
    this.#planned = planned
    this.#begun_ms = now_ms()
    this.#struck = new Set(planned.filter(({ type }) => type === 'SLOW'))
    this.#counts = { ...none }
  }

  end(): void {
    this.#planned = []
    this.#refused = undefined
    this.#lockedOut = undefined
  }

  /** How many have struck since the beginning. */
  struck(): number {
    return this.#struck.size
  }

  delay_ms(): number {
    const slow = this.#planned.find((fault) => fault.type === 'SLOW')
    if (slow === undefined || now_ms() > this.#begun_ms + slow.lasts_ms) return 0
    return chance().happens(slow.probability)
      ? 1 + chance().below(slow.delay_ms)
      : chance().below(trip_ms_max)
  }

  before(trip: Trip): 'ARRIVES' | 'LOST' | Failure {
    const { connection } = trip
    const kinds = new Set(this.#kindsOf(trip))
    for (const kind of kinds) this.#counts[kind] += 1
    // What strikes at a commit and not after it strikes at the trip that follows.
    kinds.add('COMMIT')
    this.#begin(connection, kinds)
    this.#breakOff(
      connection,
      ({ when, moment }) => when === 'BEFORE' && this.#isNow(moment, kinds),
    )
    if (connection.isOver) return 'LOST'
    if (this.#refused === undefined) return 'ARRIVES'
    const { failure, until_ms } = this.#refused
    if (now_ms() >= until_ms) this.#refused = undefined
    return now_ms() > until_ms ? 'ARRIVES' : failure
  }

  after(trip: Trip, answer: Buffer): boolean {
    const { bytes, connection } = trip
    this.#seen(bytes)
    this.#seen(answer)
    const kinds = new Set(this.#kindsOf(trip))
    // Only now it is known that it was committed.
    if (answer.includes(commit)) {
      this.#counts.COMMIT += 1
      kinds.add('COMMIT')
    }
    this.#breakOff(connection, ({ when, moment }) => when === 'AFTER' && this.#isNow(moment, kinds))
    return !connection.isOver
  }

  startup(): Failure | undefined {
    if (this.#lockedOut === undefined || now_ms() >= this.#lockedOut.until_ms) return undefined
    return this.#lockedOut.failure
  }

  callFate(): CallFate {
    this.#counts.calls += 1
    const [fault] = this.#due(['CALL'], ({ at }) => at === this.#counts.calls)
    if (fault === undefined) return 'HANDLED'
    const { code, isHandled } = fault
    const details = 'injected'
    const error = Object.assign(new Error(details), { code, details })
    return { answer: isHandled ? 'LOST' : 'REFUSED', error }
  }

  /** What becomes of the next callback. A status is answered instead of what the FSP would. */
  callbackFate(): 'ARRIVES' | FaultOf<'CALLBACK'>['fate'] {
    const n = ++this.#counts.callbacks
    const fault = this.#planned.find(
      (each): each is FaultOf<'CALLBACK'> =>
        each.type === 'CALLBACK' && n >= each.at && n < each.at + each.count,
    )
    if (fault === undefined) return 'ARRIVES'
    this.#struck.add(fault)
    return fault.fate
  }

  /** What becomes of the next message of an FSP. */
  requestFate(): 'ARRIVES' | FaultOf<'REQUEST'>['fate'] {
    this.#counts.requests += 1
    const [fault] = this.#due(['REQUEST'], ({ at }) => at === this.#counts.requests)
    return fault?.fate ?? 'ARRIVES'
  }

  #kindsOf({ bytes }: Trip): ReadonlySet<Moment['of']> {
    const { prepared, bound } = statementsIn(bytes)
    for (const [name, text] of prepared) if (writes.test(text)) this.#writing.add(name)
    return new Set(bound.some((name) => this.#writing.has(name)) ? ['TRIP', 'WRITE'] : ['TRIP'])
  }

  #isNow({ of, at }: Moment, kinds: ReadonlySet<Moment['of']>): boolean {
    return kinds.has(of) && at === this.#counts[of]
  }

  /** Those whose moment it is, each once. */
  #due<Type extends PlannedFault['type']>(
    types: readonly Type[],
    isIt: (fault: FaultOf<Type>) => boolean,
  ): readonly FaultOf<Type>[] {
    const isOfType = (fault: PlannedFault): fault is FaultOf<Type> =>
      types.some((type) => type === fault.type)
    const due = this.#planned
      .filter(isOfType)
      .filter((fault) => !this.#struck.has(fault) && isIt(fault))
    for (const fault of due) this.#struck.add(fault)
    return due
  }

  #breakOff(connection: Connection, isIt: (fault: FaultOf<'CRASH' | 'CUT'>) => boolean): void {
    for (const { type } of this.#due(['CRASH', 'CUT'], isIt)) {
      if (type === 'CRASH' && connection.owner !== undefined) this.#strikes.kill(connection.owner)
      else connection.cut()
    }
  }

  /** What lasts begins. */
  #begin({ owner }: Connection, kinds: ReadonlySet<Moment['of']>): void {
    const isNow = ({ moment }: { readonly moment: Moment }) => this.#isNow(moment, kinds)
    for (const { sqlState, lasts_ms } of this.#due(['REFUSE'], isNow)) {
      this.#refused = { failure: { sqlState, severity: 'ERROR' }, until_ms: now_ms() + lasts_ms }
    }
    for (const { sqlState, lasts_ms } of this.#due(['LOCK_OUT'], isNow)) {
      this.#lockedOut = { failure: { sqlState, severity: 'FATAL' }, until_ms: now_ms() + lasts_ms }
      this.#strikes.cutAll()
    }
    if (owner === undefined) return
    for (const { lasts_ms } of this.#due(['FREEZE'], isNow)) {
      owner.frozenUntil_ms = now_ms() + lasts_ms
    }
    for (const { ahead_ms } of this.#due(['CLOCK'], isNow)) owner.ahead_ms = ahead_ms
    for (const _ of this.#due(['STOP'], isNow)) this.#strikes.stop(owner)
  }
}
