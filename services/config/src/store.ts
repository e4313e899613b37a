/** All SQL of the service. */
import { statement, type Queries, type Transaction } from '@causeway/postgres'
import type { Configuration, Definition, NewValue, Values } from './domain/configuration.ts'
import type { ChangeRequest, RequestType } from './domain/request.ts'

interface ConfigurationRow {
  readonly bounded_context_id: string
  readonly schema_version: string
  readonly iteration_number: number
  readonly definition: string
  readonly set_values: string
  readonly changed_at: Date | null
  readonly changed_by: string | null
}

const columns = `bounded_context_id, schema_version, iteration_number, definition, set_values,
  changed_at, changed_by`

function configurationOf(row: ConfigurationRow): Configuration {
  const { changed_at: at, changed_by: by } = row
  return {
    contextId: row.bounded_context_id,
    schemaVersion: row.schema_version,
    iterationNumber: row.iteration_number,
    definition: JSON.parse(row.definition) as Definition,
    setValues: JSON.parse(row.set_values) as Values,
    changed: at === null || by === null ? null : { at, by },
  }
}

const clock = statement(`select clock_timestamp()::timestamptz(3) as now`)

export async function readClock(db: Queries): Promise<Date> {
  const [row] = await db.query<{ readonly now: Date }>(clock, [])
  if (row === undefined) throw new Error('the database returned no time')
  return row.now
}

const list = statement(`select ${columns} from configurations order by bounded_context_id limit $1`)
const find = statement(`select ${columns} from configurations where bounded_context_id = $1`)
const lock = statement(
  `select ${columns} from configurations where bounded_context_id = $1 for update`,
)

export async function configurations(
  db: Queries,
  rows_max: number,
): Promise<readonly Configuration[]> {
  return (await db.query<ConfigurationRow>(list, [rows_max])).map(configurationOf)
}

export async function configurationOfContext(
  db: Queries,
  contextId: string,
): Promise<Configuration | undefined> {
  const [row] = await db.query<ConfigurationRow>(find, [contextId])
  return row && configurationOf(row)
}

export async function lockConfiguration(
  tx: Transaction,
  contextId: string,
): Promise<Configuration | undefined> {
  const [row] = await tx.query<ConfigurationRow>(lock, [contextId])
  return row && configurationOf(row)
}

const lockName = statement(`select pg_advisory_xact_lock(hashtextextended($1, 0))`)

/** Registrations of one context take turns, also the first ones, which have no row to lock. */
export async function lockContext(tx: Transaction, contextId: string): Promise<void> {
  await tx.query(lockName, [`config/${contextId}`])
}

/** Requests with one id take turns, so that an equal one that comes at the same time finds the first. */
export async function lockNewRequest(tx: Transaction, requestId: string): Promise<void> {
  await tx.query(lockName, [`config/request/${requestId}`])
}

const save = statement(`
  insert into configurations (bounded_context_id, schema_version, iteration_number, definition,
    set_values, changed_at, changed_by)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (bounded_context_id) do update set schema_version = excluded.schema_version,
    iteration_number = excluded.iteration_number, definition = excluded.definition,
    set_values = excluded.set_values, changed_at = excluded.changed_at,
    changed_by = excluded.changed_by`)

export async function saveConfiguration(
  tx: Transaction,
  { contextId, schemaVersion, iterationNumber, definition, setValues, changed }: Configuration,
): Promise<void> {
  await tx.query(save, [
    contextId,
    schemaVersion,
    iterationNumber,
    JSON.stringify(definition),
    JSON.stringify(setValues),
    changed?.at ?? null,
    changed?.by ?? null,
  ])
}

/** The columns of a request for approval, of values and of secrets. */
export const approvalColumns = `request_id as id, bounded_context_id as "contextId", state,
  created_by as "createdBy", created_at as "createdAt", decided_by as "decidedBy",
  decided_at as "decidedAt", note`

type RequestRow = Omit<ChangeRequest, 'newValues'> & { readonly newValues: string }

const requestColumns = `${approvalColumns}, type, schema_version as "schemaVersion",
  iteration_number as "iterationNumber", new_values as "newValues"`

function requestOf({ newValues, ...row }: RequestRow): ChangeRequest {
  return { ...row, newValues: JSON.parse(newValues) as readonly NewValue[] }
}

const lockById = statement(
  `select ${requestColumns} from change_requests where request_id = $1 for update`,
)

export async function lockRequest(tx: Transaction, id: string): Promise<ChangeRequest | undefined> {
  const [row] = await tx.query<RequestRow>(lockById, [id])
  return row && requestOf(row)
}

const pending = statement(`
  select request_id from change_requests
  where bounded_context_id = $1 and type = $2 and state = 'PEND-APPROVAL'`)

/** The id of the pending request of a context, where there is one. */
export async function pendingRequest(
  tx: Transaction,
  contextId: string,
  type: RequestType,
): Promise<string | undefined> {
  const [row] = await tx.query<{ readonly request_id: string }>(pending, [contextId, type])
  return row?.request_id
}

const insertRequest = statement(`
  insert into change_requests (request_id, type, bounded_context_id, schema_version,
    iteration_number, new_values, created_by, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`)

export async function addRequest(tx: Transaction, request: ChangeRequest): Promise<void> {
  await tx.query(insertRequest, [
    request.id,
    request.type,
    request.contextId,
    request.schemaVersion,
    request.iterationNumber,
    JSON.stringify(request.newValues),
    request.createdBy,
    request.createdAt,
  ])
}

const updateRequest = statement(`
  update change_requests set state = $2, decided_by = $3, decided_at = $4, note = $5
  where request_id = $1`)

export async function saveDecision(
  tx: Transaction,
  { id, state, decidedBy, decidedAt, note }: ChangeRequest,
): Promise<void> {
  await tx.query(updateRequest, [id, state, decidedBy, decidedAt, note])
}

const listRequests = statement(`
  select ${requestColumns} from change_requests
  where ($1 = '' or type = $1) and ($2 = '' or state = $2)
  order by created_at desc, request_id desc limit $3`)

/** The newest first; an empty type or state stands for all. */
export async function requests(
  db: Queries,
  type: string,
  state: string,
  rows_max: number,
): Promise<readonly ChangeRequest[]> {
  return (await db.query<RequestRow>(listRequests, [type, state, rows_max])).map(requestOf)
}
