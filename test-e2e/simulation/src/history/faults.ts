/** What stands between the hub and its database, and between its services: lets the planned faults strike. */
import type { HttpRequest } from '@causeway/http'
import type { CallFate } from '../hub/process.ts'
import type { BrokerLine, SendFate } from '../kafka/cluster.ts'
import type { Connection, Trip } from '../sql/connection.ts'
import { statementsIn, type Failure } from '../sql/protocol.ts'
import type { DatabaseLink } from '../sql/server.ts'
import { chance, now_ms, type Owner } from '../virtual/world.ts'
import type { Mark, Moment, PlannedFault } from './plan/plan.ts'

/** What the world does to a process. */
export interface Strikes {
  kill(owner: Owner): void
  stop(owner: Owner): void
  cutAll(): void
  leaveBrokers(lasts_ms: number): void
}

interface FailurePeriod {
  readonly failure: Failure
  readonly until_ms: number
}

type FaultOf<Type extends PlannedFault['type']> = Extract<PlannedFault, { readonly type: Type }>

const none = {
  TRIP: 0,
  WRITE: 0,
  COMMIT: 0,
  SEND: 0,
  REQUEST: 0,
  ANSWER: 0,
  CALLBACK: 0,
  calls: 0,
  sent: 0,
}
const commit = Buffer.from('COMMIT\0')
/** Messages that request a payment or a consent, or answer such a request. */
const payments = /^\/(?:transfers|bulkTransfers|consents|thirdpartyRequests)\b/
const writes = /\b(?:insert into|update|delete from)\b/

export class Faults implements DatabaseLink, BrokerLine {
  readonly #strikes: Strikes
  readonly #seen: (bytes: Buffer) => void
  #planned: readonly PlannedFault[] = []
  #begun_ms = 0
  #struck = new Set<PlannedFault>()
  #counts = { ...none }
  #trip_ms_max = 0
  /** What was counted when a message came, by its kind and number. */
  readonly #marks = new Map<string, typeof none>()
  /** The names of statements that write. */
  readonly #writing = new Set<string>()
  #refused: FailurePeriod | undefined
  #lockedOut: FailurePeriod | undefined

  /** @param seen gets every byte that reaches the server, and every one of its answers */
  constructor(strikes: Strikes, seen: (bytes: Buffer) => void) {
    this.#strikes = strikes
    this.#seen = seen
  }

  /**
   * From now on these strike, counted from here.
   *
   * @param trip_ms_max how long a trip to the database takes at most
   */
  begin(planned: readonly PlannedFault[], trip_ms_max: number): void {
    this.#planned = planned
    this.#trip_ms_max = trip_ms_max
    this.#marks.clear()
    this.#begun_ms = now_ms()
    this.#struck = new Set(planned.filter(({ type }) => type === 'SLOW'))
    this.#counts = { ...none }
  }

  end(): void {
    this.#planned = []
    this.#trip_ms_max = 0
    this.#refused = undefined
    this.#lockedOut = undefined
  }

  /** How many have struck since the beginning. */
  struck(): number {
    return this.#struck.size
  }

  delay_ms(): number {
    const slow = this.#planned.find((fault) => fault.type === 'SLOW')
    const isSlow = slow !== undefined && now_ms() <= this.#begun_ms + slow.lasts_ms
    if (isSlow && chance().happens(slow.probability)) return 1 + chance().below(slow.delay_ms)
    return this.#trip_ms_max === 0 ? 0 : chance().below(this.#trip_ms_max)
  }

  before(trip: Trip): 'ARRIVES' | 'LOST' | Failure {
    const { connection } = trip
    const kinds = new Set(this.#kindsOf(trip))
    for (const kind of kinds) this.#counts[kind] += 1
    // What strikes at a commit and not after it strikes at the trip that follows.
    kinds.add('COMMIT')
    this.#begin(connection.owner, kinds)
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
    const fault = this.#nth('CALL', ++this.#counts.calls)
    if (fault === undefined) return 'HANDLED'
    const { code, isHandled } = fault
    const details = 'injected'
    const error = Object.assign(new Error(details), { code, details })
    return { answer: isHandled ? 'LOST' : 'REFUSED', error }
  }

  beforeSend(owner: Owner | undefined): SendFate {
    this.#counts.SEND += 1
    const [away] = this.#due(['BROKERS'], ({ at }) => at === this.#counts.SEND)
    if (away !== undefined) this.#strikes.leaveBrokers(away.lasts_ms)
    const kinds = new Set(['SEND'] as const)
    this.#begin(owner, kinds)
    this.#endProcess(owner, 'BEFORE', kinds)
    const fault = this.#nth('PRODUCE', this.#counts.SEND)
    return fault === undefined ? 'ACKNOWLEDGED' : { isStored: fault.isStored, type: fault.answer }
  }

  afterSend(owner: Owner | undefined): void {
    this.#endProcess(owner, 'AFTER', new Set(['SEND'] as const))
  }

  /** What becomes of the next callback. A status is answered instead of what the FSP would. */
  callbackFate(): 'ARRIVES' | FaultOf<'CALLBACK'>['fate'] {
    this.#mark('CALLBACK')
    return this.#nth('CALLBACK', this.#counts.CALLBACK)?.fate ?? 'ARRIVES'
  }

  /** What becomes of the next message of an FSP. */
  requestFate({ method, url }: HttpRequest): 'ARRIVES' | FaultOf<'REQUEST'>['fate'] {
    this.#counts.sent += 1
    if (payments.test(url)) this.#mark(method === 'PUT' ? 'ANSWER' : 'REQUEST')
    const [fault] = this.#due(['REQUEST'], ({ at }) => at === this.#counts.sent)
    return fault?.fate ?? 'ARRIVES'
  }

  #mark(message: Mark['message']): void {
    this.#counts[message] += 1
    this.#marks.set(`${message} ${this.#counts[message]}`, { ...this.#counts })
  }

  /** The fault that strikes the nth of what it counts. */
  #nth<Type extends 'CALL' | 'CALLBACK' | 'PRODUCE'>(
    type: Type,
    n: number,
  ): FaultOf<Type> | undefined {
    const fault = this.#planned.find(
      (each): each is FaultOf<Type> => each.type === type && isAmong(each as FaultOf<Type>, n),
    )
    if (fault !== undefined) this.#struck.add(fault)
    return fault
  }

  #kindsOf({ bytes }: Trip): ReadonlySet<Moment['of']> {
    const { prepared, bound } = statementsIn(bytes)
    for (const [name, text] of prepared) if (writes.test(text)) this.#writing.add(name)
    return new Set(bound.some((name) => this.#writing.has(name)) ? ['TRIP', 'WRITE'] : ['TRIP'])
  }

  #isNow({ of, at, since }: Moment, kinds: ReadonlySet<Moment['of']>): boolean {
    const from = since === undefined ? none : this.#marks.get(`${since.message} ${since.n}`)
    return from !== undefined && kinds.has(of) && at === this.#counts[of] - from[of]
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

  #endProcess(
    owner: Owner | undefined,
    when: FaultOf<'CRASH' | 'CUT'>['when'],
    kinds: ReadonlySet<Moment['of']>,
  ): void {
    const isNow = (fault: FaultOf<'CRASH' | 'CUT'>) =>
      fault.type === 'CRASH' && fault.when === when && this.#isNow(fault.moment, kinds)
    for (const _ of this.#due(['CRASH', 'CUT'], isNow))
      if (owner !== undefined) this.#strikes.kill(owner)
  }

  /** What lasts begins. */
  #begin(owner: Owner | undefined, kinds: ReadonlySet<Moment['of']>): void {
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

function isAmong(
  { at, count }: { readonly at: number; readonly count: number },
  n: number,
): boolean {
  return n >= at && n < at + count
}
