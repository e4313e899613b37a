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
  asksForSessions,
  endedBy,
  releaseLocks,
  sessionObjects,
  stateSessions,
  type SessionState,
} from './sessions.ts'

/** What stands between the hub and its database. */
export interface Line {
  /** How long a trip is on its way. */
  delay_ms(trip: Trip): number
  /** LOST: it never arrives. A failure: the server answers with it. */
  before(trip: Trip): 'ARRIVES' | 'LOST' | Failure
  /** Whether the answer arrives. */
  after(trip: Trip, answer: Buffer): boolean
  /** Why a connection gets no session. */
  startup(connection: Connection): Failure | undefined
}

export interface SqlServer {
  /** A new connection of the process that asks. */
  connect(): Connection
  /** All connections of a process are gone. */
  cut(owner: Owner): void
  cutAll(): void
  close(): Promise<void>
}

interface Job {
  readonly connection: Connection | undefined
  readonly run: () => Promise<void>
}

export async function openSqlServer(database: Owner, line: Line): Promise<SqlServer> {
  const pglite = await PGlite.create()
  await pglite.exec(sessionObjects)
  const open = new Set<Connection>()
  const idleSince_ms = new Map<Connection, number>()
  const asking = new WeakSet<Connection>()
  const waiting: Job[] = []
  /** Whose transaction is open. */
  let holder: Connection | undefined
  /** As whom the session acts. */
  let actor: Connection | undefined
  let isBusy = false
  let backends = 0
  waitWhile(() => isBusy)

  function submit(connection: Connection | undefined, work: () => Promise<void>): void {
    waiting.push({ connection, run: work })
    ownedBy(database, () => void pump())
  }

  async function pump(): Promise<void> {
    if (isBusy) return
    isBusy = true
    try {
      for (let job = next(); job !== undefined; job = next()) await job.run()
    } finally {
      isBusy = false
    }
  }

  /** Of each connection its oldest trip is ready; while a transaction is open, that of its connection. */
  function next(): Job | undefined {
    const ready = new Map<Connection | undefined, Job>()
    for (const job of waiting) {
      if (holder !== undefined && job.connection !== holder) continue
      if (!ready.has(job.connection)) ready.set(job.connection, job)
    }
    if (ready.size === 0) return undefined
    const job = ready.size === 1 ? [...ready.values()][0] : chance().oneOf([...ready.values()])
    if (job !== undefined) waiting.splice(waiting.indexOf(job), 1)
    return job
  }

  async function execute(message: Buffer): Promise<Buffer> {
    return Buffer.from(await pglite.execProtocolRaw(message))
  }

  async function act(connection: Connection): Promise<void> {
    if (actor === connection) return
    await execute(actAs(connection.searchPath, connection.backend))
    actor = connection
  }

  async function work(trip: Trip): Promise<void> {
    const { connection } = trip
    if (connection.isOver) return
    const fate = line.before(trip)
    if (fate === 'LOST') return
    if (typeof fate === 'object' && fate.severity === 'FATAL') {
      deliver(connection, failureMessage(fate), () => connection.end())
      return
    }
    await act(connection)
    if (asksForSessions(trip.bytes)) asking.add(connection)
    if (asking.has(connection) && holder === undefined) await execute(stateSessions(sessions()))
    const answer = await execute(typeof fate === 'object' ? failingQuery(fate.sqlState) : trip.own)
    holder = stateAfter(answer) === 'I' ? undefined : connection
    idleSince_ms.set(connection, now_ms())
    for (const backend of endedBy(answer)) endSession(backend)
    if (line.after(trip, answer)) deliver(connection, answer)
  }

  function sessions(): readonly SessionState[] {
    const working = new Set(waiting.map(({ connection }) => connection))
    return [...open].map((connection) => ({
      pid: connection.backend,
      state: working.has(connection)
        ? 'active'
        : connection === holder
          ? 'idle in transaction'
          : 'idle',
      idle_ms: now_ms() - (idleSince_ms.get(connection) ?? now_ms()),
    }))
  }

  function endSession(backend: number): void {
    for (const connection of open) {
      if (connection.backend !== backend) continue
      deliver(connection, failureMessage({ sqlState: '57P01', severity: 'FATAL' }), () =>
        connection.end(),
      )
    }
  }

  /** A frozen process reads it when it comes back. */
  function deliver(connection: Connection, bytes: Buffer, then: () => void = () => {}): void {
    const { owner } = connection
    const give = () => {
      connection.answer(bytes)
      then()
    }
    const frozen_ms = (owner?.frozenUntil_ms ?? 0) - now_ms()
    if (frozen_ms > 0) void rest(frozen_ms).then(() => ownedBy(owner, give))
    else ownedBy(owner, give)
  }

  function onEnd(connection: Connection): void {
    open.delete(connection)
    for (let at = waiting.length - 1; at >= 0; at--) {
      if (waiting[at]?.connection === connection) waiting.splice(at, 1)
    }
    const rollBack = async () => {
      await execute(queryMessage('rollback'))
      holder = undefined
    }
    if (holder === connection) submit(connection, rollBack)
    submit(undefined, async () => {
      await execute(releaseLocks(connection.backend))
    })
  }

  function onStartup(connection: Connection): void {
    const failure = line.startup(connection)
    if (failure === undefined) deliver(connection, welcome(connection.backend))
    else deliver(connection, failureMessage(failure), () => connection.end())
  }

  function onTrip(trip: Trip): void {
    const delay_ms = line.delay_ms(trip)
    const arrive = () => {
      if (!trip.connection.isOver) submit(trip.connection, () => work(trip))
    }
    if (delay_ms === 0) arrive()
    else void rest(delay_ms).then(arrive)
  }

  return {
    connect() {
      const parts = { backend: ++backends, owner: ownerNow(), onStartup, onTrip, onEnd }
      const connection = new Connection(parts)
      open.add(connection)
      return connection
    },
    cut(owner) {
      for (const connection of [...open]) if (connection.owner === owner) connection.cut()
    },
    cutAll() {
      for (const connection of [...open]) connection.cut()
    },
    close: () => pglite.close(),
  }
}
