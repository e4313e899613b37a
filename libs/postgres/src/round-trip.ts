/**
 * One round trip to PostgreSQL for one or several statements. A round trip costs as much as a small
 * statement does, so BEGIN is sent with the first statement of a transaction and COMMIT with its last
 * one. The statements of a round trip are one unit: after one that fails the rest is not run.
 */
import { Outage } from '@causeway/process'
import type { ClientBase, Connection, FieldDef, Submittable } from 'pg'
import { bind, isLarge, type Parameter } from './bind.ts'
import { parserOf } from './column-types.ts'
import type { Statement, Value } from './database.ts'
import { failureOf } from './failure.ts'

export interface BoundStatement {
  readonly statement: Statement
  readonly values: readonly Value[]
}

export interface StatementResult {
  readonly rows: readonly unknown[]
  /** What the statement did, in PostgreSQL's words: `INSERT 0 5`, `COMMIT`, `ROLLBACK`. */
  readonly did: string
}

/**
 * PostgreSQL's own time-outs are shorter; this one is for a server that reports that it still works on
 * the statement.
 */
const answer_ms_max = 75_000

/** How a connection without a response is handled. */
export interface Watchman {
  /** A round trip without a response is checked after this time, and again each time it has passed. */
  readonly silent_ms: number
  /** Whether the server still works on the statements of this backend. */
  readonly isWorking: (backend: number) => Promise<boolean>
}

/** From now on the connection is closed as soon as the server does not work on its statements. */
export function watchOver(client: ClientBase, watchman: Watchman): void {
  lineOf(client).watchman = watchman
}

/** Closes the connection without a message to the server, which may be gone. */
export function cut(client: ClientBase): void {
  // A client of `pg` has these, though its types lack them.
  ;(client as unknown as { readonly connection: Connection }).connection.stream.destroy()
}

/**
 * Runs the statements in order; rejects with the error of the first one that failed, or with an outage
 * when there is no response: as soon as the watchman reports it, or after 75 s.
 */
export function roundTrip(
  client: ClientBase,
  steps: readonly BoundStatement[],
): Promise<readonly StatementResult[]> {
  const line = lineOf(client)
  return new Promise((resolve, reject) => {
    const trip = newTrip(line.prepared, steps, (error, answers) => {
      if (error === null) resolve(answers)
      else reject(error)
      line.underWay = undefined
      const next = line.waiting.shift()
      if (next !== undefined) send(client, line, next)
    })
    if (line.underWay !== undefined) line.waiting.push(trip)
    else send(client, line, trip)
  })
}

interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

/** The state of a connection. */
interface ConnectionState {
  /** The columns of each statement that PostgreSQL has prepared. */
  readonly prepared: Map<string, readonly Column[]>
  /** One trip at a time. */
  underWay: Trip | undefined
  sent_ms: number
  readonly waiting: Trip[]
  /** Runs while a round trip is in progress, or was when it was set. */
  watch: NodeJS.Timeout | undefined
  watchman: Watchman | undefined
}

const lines = new WeakMap<ClientBase, ConnectionState>()

function lineOf(client: ClientBase): ConnectionState {
  const known = lines.get(client)
  if (known !== undefined) return known
  const line: ConnectionState = {
    prepared: new Map(),
    underWay: undefined,
    sent_ms: 0,
    waiting: [],
    watch: undefined,
    watchman: undefined,
  }
  lines.set(client, line)
  return line
}

function send(client: ClientBase, line: ConnectionState, trip: Trip): void {
  line.underWay = trip
  line.sent_ms = performance.now()
  line.watch ??= lookLater(client, line, line.watchman?.silent_ms ?? answer_ms_max)
  client.query(trip)
}

/**
 * One timer for all round trips of a connection. The timer that the client would set for each retains its
 * objects until they are in the old generation: they were half of what was collected there, and each
 * of those collections delayed payments.
 */
function lookLater(client: ClientBase, line: ConnectionState, wait_ms: number): NodeJS.Timeout {
  return setTimeout(() => void look(client, line), wait_ms).unref()
}

async function look(client: ClientBase, line: ConnectionState): Promise<void> {
  const { underWay: trip, watchman } = line
  line.watch = undefined
  if (trip === undefined) return
  const silent_ms = watchman?.silent_ms ?? answer_ms_max
  const waited_ms = performance.now() - line.sent_ms
  if (waited_ms < silent_ms) {
    line.watch = lookLater(client, line, silent_ms - waited_ms)
    return
  }
  const isWorking = waited_ms < answer_ms_max && (await watchman?.isWorking(backendOf(client)))
  if (line.underWay === trip && isWorking !== true) {
    cut(client)
    trip.callback(noAnswer(waited_ms), [])
  } else if (line.underWay !== undefined) {
    line.watch ??= lookLater(client, line, silent_ms)
  }
}

function backendOf(client: ClientBase): number {
  return (client as unknown as { readonly processID: number | null }).processID ?? 0
}

function noAnswer(waited_ms: number): Outage {
  return new Outage(`PostgreSQL has not answered for ${Math.round(waited_ms)} ms`)
}

/** The methods that the client calls on a query that is not its own. */
interface Trip extends Submittable {
  callback: (error: Error | null, answers: readonly StatementResult[]) => void
  handleRowDescription(message: { readonly fields: readonly FieldDef[] }): void
  handleDataRow(message: { readonly fields: readonly (string | null)[] }): void
  handleCommandComplete(message: { readonly text: string }): void
  handleReadyForQuery(): void
  handleError(error: Error): void
}

function newTrip(
  prepared: Map<string, readonly Column[]>,
  steps: readonly BoundStatement[],
  callback: Trip['callback'],
): Trip {
  const parameters = steps.map(({ values }) => values.map(parameter))
  const answers: StatementResult[] = []
  /** The columns of the statements that this round trip prepares. */
  const described = new Map<string, readonly Column[]>()
  let settled = false
  let rows: unknown[] = []

  const nameNow = () => steps[answers.length]?.statement.name ?? ''
  const trip: Trip = {
    callback: (error, all) => {
      if (settled) return
      settled = true
      callback(error, all)
    },
    submit(connection) {
      connection.stream.cork()
      for (const [at, { statement }] of steps.entries()) {
        const { name } = statement
        if (!prepared.has(name) && !described.has(name)) {
          prepare(connection, statement)
          described.set(name, [])
        }
        const values = parameters[at] ?? []
        if (values.some(isLarge)) bind(connection.stream, name, values)
        else connection.bind({ statement: name, values }, true)
        connection.execute(null, true)
      }
      connection.sync()
      connection.stream.uncork()
    },
    handleRowDescription: ({ fields }) => void described.set(nameNow(), fields.map(columnOf)),
    handleDataRow({ fields }) {
      const columns = prepared.get(nameNow()) ?? described.get(nameNow()) ?? []
      rows.push(rowOf(columns, fields))
    },
    handleCommandComplete({ text }) {
      answers.push({ rows, did: text })
      rows = []
    },
    handleReadyForQuery() {
      for (const [name, columns] of described) prepared.set(name, columns)
      trip.callback(null, answers)
    },
    handleError(error) {
      // A statement whose plan or columns have changed under it is prepared again.
      prepared.delete(nameNow())
      trip.callback(failureOf(error) as Error, answers)
    },
  }
  return trip
}

/** A name may be left from a round trip that failed; closing a missing one is no error. */
function prepare(connection: Connection, { name, text }: Statement): void {
  connection.close({ type: 'S', name }, true)
  connection.parse({ name, text, types: [] }, true)
  connection.describe({ type: 'S', name }, true)
}

function parameter(value: Value): Parameter {
  if (value === null || typeof value === 'string' || Buffer.isBuffer(value)) return value
  return value instanceof Date ? value.toISOString() : String(value)
}

function columnOf({ name, dataTypeID }: FieldDef): Column {
  return { name, parse: parserOf(dataTypeID) }
}

function rowOf(columns: readonly Column[], fields: readonly (string | null)[]): unknown {
  const row: Record<string, unknown> = {}
  for (const [at, { name, parse }] of columns.entries()) {
    const field = fields[at]
    row[name] = field === null || field === undefined ? null : parse(field)
  }
  return row
}
