/**
 * A PostgreSQL with many connections on the one session of PGlite: whole transactions take turns, and
 * chance says whose. Nothing waits for a lock there, so deadlocks are failures that a history asks for.
 */
import { PGlite } from '@electric-sql/pglite'
import { chance, now_ms, ownedBy, ownerNow, rest, waitWhile, type Owner } from '../virtual/world.ts'
import { Connection, type Trip } from './connection.ts'
import {
  failingQuery,
  failureMessage,
  queryMessage,
  stateAfter,
  welcome,
  type Failure,
} from './protocol.ts'
import {
  actAs,
  asksForLocks,
  asksForSessions,
  endedBy,
  isLockedOut,
  releaseLocks,
  sessionObjects,
  sessionSettings,
  stateSessions,
  useSearchPath,
  waitsForLock,
  type SessionState,
} from './sessions.ts'
import { Statements } from './statements.ts'

/** What stands between the hub and its database. */
export interface DatabaseLink {
  /** How long a trip is on its way. */
  delay_ms(trip: Trip): number
  /** LOST: it never arrives. A failure: the server answers with it. */
  before(trip: Trip): 'ARRIVES' | 'LOST' | Failure
  /** Whether the answer arrives. */
  after(trip: Trip, answer: Buffer): boolean
  /** Why a connection gets no session. */
  startup(connection: Connection): Failure | undefined
}

/** How often a session that waits for an advisory lock tries to take it. */
const lock_ms = 50
/** How long an answer takes to a session that did not get a lock before. */
const locked_ms = 150
/** Longer than a trip to the database or to the brokers takes in any history. */
const idle_ms_max = 12_000

interface Job {
  /** Undefined: the work of the server itself. */
  readonly connection: Connection | undefined
  readonly run: () => Promise<void>
}

/**
 * @param database whose clock is that of the server
 * @param data what `dump` has returned; undefined: an empty database
 */
export async function openSqlServer(
  database: Owner,
  line: DatabaseLink,
  data: Blob | undefined,
): Promise<SqlServer> {
  // The log of a new database is 16 MiB otherwise.
  const empty = { initDbStartParams: ['--wal-segsize=1'] }
  const pglite = await PGlite.create(data === undefined ? empty : { loadDataDir: data })
  if (data === undefined) await pglite.exec(sessionObjects)
  await pglite.exec(sessionSettings)
  return new SqlServer(pglite, database, line)
}

export class SqlServer {
  readonly #pglite: PGlite
  readonly #database: Owner
  readonly #line: DatabaseLink
  readonly #open = new Set<Connection>()
  readonly #idleSince_ms = new WeakMap<Connection, number>()
  /** Those that have prepared a statement about sessions, or about locks. */
  readonly #asking = new WeakSet<Connection>()
  readonly #locking = new WeakSet<Connection>()
  /** Those that did not get a lock when they asked for one last. */
  readonly #lockedOut = new WeakSet<Connection>()
  readonly #statements = new Statements()
  readonly #waiting: Job[] = []
  /** Whose transaction is open. */
  #holder: Connection | undefined
  /** As what the session acts. */
  #searchPath = ''
  #backend: number | undefined
  /** Whose transaction is looked at in a while. */
  #watched: Connection | undefined
  #isBusy = false
  #backends = 0

  constructor(pglite: PGlite, database: Owner, line: DatabaseLink) {
    this.#pglite = pglite
    this.#database = database
    this.#line = line
    waitWhile(() => this.#isBusy)
  }

  /** A new connection of the process that asks. */
  connect(): Connection {
    const connection = new Connection({
      backend: ++this.#backends,
      owner: ownerNow(),
      onStartup: (opened) => this.#onStartup(opened),
      onTrip: (trip) => this.#onTrip(trip),
      onEnd: (ended) => this.#onEnd(ended),
    })
    this.#open.add(connection)
    return connection
  }

  /** The connections of a process are gone, or those of all. */
  cut(owner?: Owner): void {
    for (const connection of this.#open) {
      if (owner === undefined || connection.owner === owner) connection.cut()
    }
  }

  /** Reads between two transactions, as nobody of the hub does. */
  read<Row>(sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      this.#submit(undefined, () =>
        this.#pglite.query<Row>(sql, [...values]).then(({ rows }) => resolve(rows), reject),
      )
    })
  }

  /** What PostgreSQL does in the background, where there is one: nothing grows with the histories. */
  tidy(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#submit(undefined, () =>
        this.#pglite
          .exec('vacuum')
          .then(() => this.#pglite.exec('checkpoint'))
          .then(() => resolve(), reject),
      )
    })
  }

  /** All data, as a tar file. No connection may be open. */
  async dump(): Promise<Buffer> {
    await this.#pglite.exec('checkpoint')
    const file = await this.#pglite.dumpDataDir('none')
    return Buffer.from(await file.arrayBuffer())
  }

  close(): Promise<void> {
    return this.#pglite.close()
  }

  #submit(connection: Connection | undefined, run: () => Promise<void>): void {
    this.#waiting.push({ connection, run })
    ownedBy(this.#database, () => void this.#pump())
  }

  async #pump(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    try {
      for (let job = this.#next(); job !== undefined; job = this.#next()) await job.run()
    } finally {
      this.#isBusy = false
    }
  }

  /** Of each connection its oldest trip is ready; while a transaction is open, that of its connection. */
  #next(): Job | undefined {
    const ready = new Map<Connection | undefined, Job>()
    for (const job of this.#waiting) {
      if (this.#holder !== undefined && job.connection !== this.#holder) continue
      if (!ready.has(job.connection)) ready.set(job.connection, job)
    }
    if (ready.size === 0) {
      if (this.#waiting.length > 0) this.#watch(this.#holder)
      return undefined
    }
    const job = ready.size === 1 ? [...ready.values()][0] : chance().oneOf([...ready.values()])
    if (job !== undefined) this.#waiting.splice(this.#waiting.indexOf(job), 1)
    return job
  }

  /**
   * A transaction that waits for what another connection does would wait for ever, where it has the only
   * session: its connection is cut.
   */
  #watch(holder: Connection | undefined): void {
    if (holder === undefined || this.#watched === holder) return
    this.#watched = holder
    void rest(idle_ms_max).then(() => {
      this.#watched = undefined
      if (this.#holder !== holder) return
      const isFrozen = (holder.owner?.frozenUntil_ms ?? 0) > now_ms()
      const idle_ms = now_ms() - (this.#idleSince_ms.get(holder) ?? now_ms())
      if (isFrozen || this.#isBusy || idle_ms < idle_ms_max) this.#watch(holder)
      else ownedBy(this.#database, () => holder.cut())
    })
  }

  /** As it is: reading the answer is left to those who have asked. */
  async #execute(message: Buffer): Promise<Buffer> {
    const parts: Buffer[] = []
    // The memory that is given is used again.
    const onRawData = (bytes: Uint8Array) => void parts.push(Buffer.from(bytes))
    await this.#pglite.execProtocolRawStream(message, { syncToFs: false, onRawData })
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
  }

  async #work(trip: Trip): Promise<void> {
    const { connection } = trip
    if (connection.isOver) return
    const fate = this.#line.before(trip)
    if (fate === 'LOST') return
    if (typeof fate === 'object' && fate.severity === 'FATAL') {
      this.#refuse(connection, fate)
      return
    }
    await this.#actAs(trip)
    const execute = (message: Buffer) => this.#execute(message)
    const answer =
      typeof fate === 'object'
        ? await execute(failingQuery(fate.sqlState))
        : await this.#statements.run(connection, trip.bytes, execute)
    this.#holder = stateAfter(answer) === 'I' ? undefined : connection
    if (waitsForLock(answer) && this.#holder === undefined) {
      void rest(lock_ms).then(() => this.#submit(connection, () => this.#work(trip)))
      return
    }
    this.#idleSince_ms.set(connection, now_ms())
    if (this.#locking.has(connection)) this.#noteLock(connection, answer)
    for (const backend of endedBy(answer)) this.#endSession(backend)
    if (this.#line.after(trip, answer)) this.#deliver(connection, answer)
  }

  #noteLock(connection: Connection, answer: Buffer): void {
    if (isLockedOut(answer)) this.#lockedOut.add(connection)
    else this.#lockedOut.delete(connection)
  }

  async #actAs({ connection, bytes }: Trip): Promise<void> {
    const { searchPath, backend } = connection
    if (this.#searchPath !== searchPath) {
      await this.#execute(useSearchPath(searchPath))
      this.#searchPath = searchPath
    }
    if (asksForLocks(bytes)) this.#locking.add(connection)
    if (this.#locking.has(connection) && this.#backend !== backend) {
      await this.#execute(actAs(backend))
      // What is set in a transaction may be rolled back with it.
      this.#backend = this.#holder === undefined ? backend : undefined
    }
    if (asksForSessions(bytes)) this.#asking.add(connection)
    if (this.#asking.has(connection) && this.#holder === undefined) {
      await this.#execute(stateSessions(this.#sessions()))
    }
  }

  #sessions(): readonly SessionState[] {
    const working = new Set(this.#waiting.map(({ connection }) => connection))
    return [...this.#open].map((connection) => {
      const state = connection === this.#holder ? 'idle in transaction' : 'idle'
      return {
        pid: connection.backend,
        state: working.has(connection) ? 'active' : state,
        idle_ms: now_ms() - (this.#idleSince_ms.get(connection) ?? now_ms()),
      }
    })
  }

  #endSession(backend: number): void {
    for (const connection of this.#open) {
      if (connection.backend !== backend) continue
      this.#refuse(connection, { sqlState: '57P01', severity: 'FATAL' })
    }
  }

  #refuse(connection: Connection, failure: Failure): void {
    this.#deliver(connection, failureMessage(failure), () => connection.end())
  }

  /** A frozen process reads it when it comes back. */
  #deliver(connection: Connection, bytes: Buffer, then?: () => void): void {
    const { owner } = connection
    const give = () => {
      connection.answer(bytes)
      then?.()
    }
    const frozen_ms = (owner?.frozenUntil_ms ?? 0) - now_ms()
    if (frozen_ms > 0) void rest(frozen_ms).then(() => ownedBy(owner, give))
    else ownedBy(owner, give)
  }

  #onStartup(connection: Connection): void {
    const failure = this.#line.startup(connection)
    if (failure === undefined) this.#deliver(connection, welcome(connection.backend))
    else this.#refuse(connection, failure)
  }

  #onTrip(trip: Trip): void {
    const { connection } = trip
    // Who asks again and again for a lock waits for it, so that the others need not be simulated so often.
    const wait_ms = this.#lockedOut.has(connection) ? locked_ms : 0
    const delay_ms = Math.max(this.#line.delay_ms(trip), wait_ms)
    const arrive = () => {
      if (!connection.isOver) this.#submit(connection, () => this.#work(trip))
    }
    if (delay_ms === 0) arrive()
    else void rest(delay_ms).then(arrive)
  }

  #onEnd(connection: Connection): void {
    this.#open.delete(connection)
    for (let at = this.#waiting.length - 1; at >= 0; at--) {
      if (this.#waiting[at]?.connection === connection) this.#waiting.splice(at, 1)
    }
    if (this.#holder === connection) {
      this.#submit(connection, async () => {
        await this.#execute(queryMessage('rollback'))
        this.#holder = undefined
      })
    }
    if (!this.#locking.has(connection)) return
    this.#submit(undefined, async () => {
      await this.#execute(releaseLocks(connection.backend))
    })
  }
}
