/** Storage of requests to make new keys elsewhere. */
import type { Adapter } from '@causeway/crypto-provider'
import { statement, type Queries, type Transaction } from '@causeway/postgres'
import type { ApprovalRequest } from '@causeway/services'

export interface AdapterRequest extends ApprovalRequest {
  readonly adapter: Adapter
}

const columns = `request_id as id, adapter, state, created_by as "createdBy",
  created_at as "createdAt", decided_by as "decidedBy", decided_at as "decidedAt", note`

const lockById = statement(
  `select ${columns} from crypto_adapter_requests where request_id = $1 for update`,
)

export async function lockAdapterRequest(
  tx: Transaction,
  id: string,
): Promise<AdapterRequest | undefined> {
  return (await tx.query<AdapterRequest>(lockById, [id]))[0]
}

const pending = statement(
  `select ${columns} from crypto_adapter_requests where state = 'PEND-APPROVAL'`,
)

export async function pendingAdapterRequest(tx: Transaction): Promise<AdapterRequest | undefined> {
  return (await tx.query<AdapterRequest>(pending, []))[0]
}

const insert = statement(`
  insert into crypto_adapter_requests (request_id, adapter, created_by, created_at)
  values ($1, $2, $3, $4)`)

export async function addAdapterRequest(
  tx: Transaction,
  { id, adapter, createdBy, createdAt }: AdapterRequest,
): Promise<void> {
  await tx.query(insert, [id, adapter, createdBy, createdAt])
}

const update = statement(`
  update crypto_adapter_requests set state = $2, decided_by = $3, decided_at = $4, note = $5
  where request_id = $1`)

export async function saveAdapterDecision(
  tx: Transaction,
  { id, state, decidedBy, decidedAt, note }: AdapterRequest,
): Promise<void> {
  await tx.query(update, [id, state, decidedBy, decidedAt, note])
}

const list = statement(`
  select ${columns} from crypto_adapter_requests where $1 = '' or state = $1
  order by created_at desc, request_id desc limit $2`)

/** The newest first; an empty state stands for all. */
export async function adapterRequests(
  db: Queries,
  state: string,
  rows_max: number,
): Promise<readonly AdapterRequest[]> {
  return db.query<AdapterRequest>(list, [state, rows_max])
}
