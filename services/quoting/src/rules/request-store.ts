/** Storage of requests for other scheme rules. */
import { statement, type Queries, type Transaction } from '@causeway/postgres'
import type { ApprovalRequest, RequestState } from '@causeway/services'

export interface RuleRequest extends ApprovalRequest {
  /** Of the rules that it is based on. */
  readonly iteration: number
  readonly json: string
}

interface Row {
  readonly request_id: string
  readonly iteration: number
  readonly rules: string
  readonly before: string | null
  readonly state: RequestState
  readonly created_by: string
  readonly created_at: Date
  readonly decided_by: string | null
  readonly decided_at: Date | null
  readonly note: string
}

function requestOf(row: Row): RuleRequest {
  return {
    id: row.request_id,
    iteration: row.iteration,
    json: row.rules,
    state: row.state,
    createdBy: row.created_by,
    createdAt: row.created_at,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at,
    note: row.note,
  }
}

const columns = `request_id, iteration, rules, state, created_by, created_at, decided_by, decided_at,
  note`

const lockTable = statement(
  `select pg_advisory_xact_lock(hashtextextended('scheme-rule-requests', 0))`,
)

/** Requests take turns, also the first one, which has no row to lock. */
export async function lockRuleRequests(tx: Transaction): Promise<void> {
  await tx.query(lockTable, [])
}

const lockById = statement(
  `select ${columns} from scheme_rule_requests where request_id = $1 for update`,
)

export async function lockRuleRequest(
  tx: Transaction,
  id: string,
): Promise<RuleRequest | undefined> {
  const [row] = await tx.query<Row>(lockById, [id])
  return row && requestOf(row)
}

const pending = statement(
  `select request_id from scheme_rule_requests where state = 'PEND-APPROVAL'`,
)

/** The id of the pending request, where there is one. */
export async function pendingRuleRequest(tx: Transaction): Promise<string | undefined> {
  const [row] = await tx.query<Pick<Row, 'request_id'>>(pending, [])
  return row?.request_id
}

const insert = statement(`
  insert into scheme_rule_requests (request_id, iteration, rules, created_by, created_at)
  values ($1, $2, $3, $4, $5)`)

export async function addRuleRequest(tx: Transaction, request: RuleRequest): Promise<void> {
  const { id, iteration, json, createdBy, createdAt } = request
  await tx.query(insert, [id, iteration, json, createdBy, createdAt])
}

const update = statement(`
  update scheme_rule_requests set state = $2, decided_by = $3, decided_at = $4, note = $5
  where request_id = $1`)

export async function saveRuleDecision(tx: Transaction, request: RuleRequest): Promise<void> {
  const { id, state, decidedBy, decidedAt, note } = request
  await tx.query(update, [id, state, decidedBy, decidedAt, note])
}

const list = statement(`
  select request.request_id, request.iteration, request.rules, before.rules as before,
    request.state, request.created_by, request.created_at, request.decided_by, request.decided_at,
    request.note
  from scheme_rule_requests request
  left join scheme_rules before on before.iteration = request.iteration
  where $1 = '' or request.state = $1
  order by request.created_at desc, request.request_id desc limit $2`)

export interface ListedRuleRequest extends RuleRequest {
  /** The rules that it is based on. */
  readonly beforeJson: string
}

/** The newest first; an empty state stands for all. */
export async function ruleRequests(
  db: Queries,
  state: string,
  rows_max: number,
): Promise<readonly ListedRuleRequest[]> {
  const rows = await db.query<Row>(list, [state, rows_max])
  return rows.map((row) => ({ ...requestOf(row), beforeJson: row.before ?? '[]' }))
}
