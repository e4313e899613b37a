/** What is stored of bulk quotes, and of one item as if it were a quote of its own. */
import { parseAmount } from '@causeway/money'
import { statement, textArray, type Database } from '@causeway/runtime'
import { readDeliveries, type RecordRow, type StoredRecord } from '../quotes/record-store.ts'

export interface BulkRecordRow {
  readonly id: string
  readonly payer_fsp: string
  readonly payee_fsp: string | null
  readonly items: number
  readonly items_refused: number
  readonly state: string
  readonly reason: string | null
  readonly error: string | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly valid_until: Date | null
  readonly completed_at: Date | null
}

const selectBulks = statement(`
  select q.id, q.payer_fsp, q.payee_fsp, q.items, q.items_refused, q.state, q.reason, q.error,
    q.created_at, q.expires_at, q.valid_until, q.completed_at
  from unnest($1::text[]) as a (id) join bulk_quotes q on q.id = a.id collate "C"`)

/** Ids of items are unique within their bulk alone: of several the latest counts. */
const selectItem = statement(`
  select i.quote_id as id, i.transaction_id, null as transaction_request_id, q.payer_fsp,
    q.payee_fsp, i.amount_type, i.amount, i.currency, q.expires_at, q.created_at, case when i.error is null then q.state else 'REJECTED' end as state,
    case when i.error is null then q.reason else 'ITEMS' end as reason,
    coalesce(i.error, q.error) as error, null as rule_id, null as transfer_amount,
    q.valid_until, q.completed_at, q.id as bulk_quote_id, null as request, m.body as answer
  from bulk_quote_items i
  join bulk_quotes q on q.id = i.bulk_quote_id and q.month = i.month
  left join bulk_messages m on m.bulk_quote_id = q.id and m.month = q.month and m.kind = 'RESPONSE'
  where i.quote_id = $1::text collate "C"
  order by q.created_at desc limit 1`)

interface ItemRow extends RecordRow {
  readonly bulk_quote_id: string
  /** The payee FSP's message. */
  readonly answer: Buffer | null
}

export function readBulks(db: Database, ids: readonly string[]): Promise<readonly BulkRecordRow[]> {
  return db.query<BulkRecordRow>(selectBulks, [textArray(ids)])
}

export async function readItemRecord(
  db: Database,
  quoteId: string,
): Promise<StoredRecord | undefined> {
  const [row] = await db.query<ItemRow>(selectItem, [quoteId])
  if (row === undefined) return undefined
  const { answer, ...item } = row
  const quote = answer === null || item.state !== 'ACCEPTED' ? item : answered(item, answer)
  return { quote, deliveries: await readDeliveries(db, row.bulk_quote_id) }
}

interface AnsweredItem {
  readonly quoteId: string
  readonly transferAmount?: { readonly amount: string }
  readonly errorInformation?: object
}

/** The item as the payee FSP's message answers it. */
function answered(item: RecordRow, answer: Buffer): RecordRow {
  const { individualQuoteResults = [] } = JSON.parse(answer.toString()) as {
    readonly individualQuoteResults?: readonly AnsweredItem[]
  }
  const result = individualQuoteResults.find(({ quoteId }) => quoteId === item.id)
  if (result?.errorInformation !== undefined) {
    const error = JSON.stringify(result.errorInformation)
    return { ...item, state: 'REJECTED', reason: 'REFUSED', error }
  }
  const amount = parseAmount(result?.transferAmount?.amount ?? '')
  return amount === undefined ? item : { ...item, transfer_amount: String(amount) }
}
