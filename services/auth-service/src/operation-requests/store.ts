/** Storage of the changes that wait for a second person. */
import { statement, textArray, type Queries, type Transaction } from '@causeway/postgres'
import type { ApprovalRequest } from '@causeway/services'

export interface OperationRequest extends ApprovalRequest {
  readonly method: string
  readonly route: string
  readonly uri: string
  readonly body: string | null
  readonly privilege: string
  /** A status of HTTP; null: it did not run, or its end is not known. */
  readonly outcome: number | null
}

const columns = `request_id as id, method, route, uri, body, privilege, state,
  created_by as "createdBy", created_at as "createdAt", decided_by as "decidedBy",
  decided_at as "decidedAt", note, outcome`

const insert = statement(`
  insert into operation_requests
    (request_id, method, route, uri, body, privilege, created_by, created_at)
  select $1, $2, $3, $4, $5, $6, $7, $8
  where (select count(*) from operation_requests where state = 'PEND-APPROVAL') < $9::int
  returning request_id`)

/** False when too many wait. */
export async function addOperationRequest(
  tx: Transaction,
  request: OperationRequest,
  pending_max: number,
): Promise<boolean> {
  const { id, method, route, uri, body, privilege, createdBy, createdAt } = request
  const values = [id, method, route, uri, body, privilege, createdBy, createdAt, pending_max]
  return (await tx.query(insert, values)).length > 0
}

const lockById = statement(
  `select ${columns} from operation_requests where request_id = $1 for update`,
)

export async function lockOperationRequest(
  tx: Transaction,
  id: string,
): Promise<OperationRequest | undefined> {
  return (await tx.query<OperationRequest>(lockById, [id]))[0]
}

const update = statement(`
  update operation_requests set state = $2, decided_by = $3, decided_at = $4, note = $5
  where request_id = $1`)

export async function saveOperationDecision(
  tx: Transaction,
  { id, state, decidedBy, decidedAt, note }: OperationRequest,
): Promise<void> {
  await tx.query(update, [id, state, decidedBy, decidedAt, note])
}

const updateOutcome = statement(`
  update operation_requests set outcome = $2
  where request_id = $1 and state = 'APPROVED' and outcome is null`)

export async function saveOperationOutcome(
  db: Queries,
  id: string,
  outcome: number,
): Promise<void> {
  await db.query(updateOutcome, [id, outcome])
}

const list = statement(`
  select ${columns} from operation_requests where $1 = '' or state = $1
  order by created_at desc, request_id desc limit $2`)

/** The newest first; an empty state stands for all. */
export async function operationRequests(
  db: Queries,
  state: string,
  rows_max: number,
): Promise<readonly OperationRequest[]> {
  return db.query<OperationRequest>(list, [state, rows_max])
}

const countRelated = statement(`
  select name from operators
  where name = any($1::text[]) and secret_at > $2
    and secret_by && array_remove($1::text[], name)
  limit 1`)

/** Whether one of the two has known a secret of the other one since. */
export async function areRelated(
  db: Queries,
  names: readonly [string, string],
  since: Date,
): Promise<boolean> {
  return (await db.query(countRelated, [textArray(names), since])).length > 0
}
