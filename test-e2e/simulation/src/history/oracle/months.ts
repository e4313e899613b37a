/**
 * What must be right about months: each row lies in the month that it is filed under, and what FSPs have
 * sent about a transfer can be read, whichever month it came in.
 */
import { transfersService } from '@causeway/protos'
import type { Supervisor } from '../../hub/supervisor.ts'
import type { SqlServer } from '../../sql/server.ts'
import type { Plan } from '../plan/plan.ts'
import type { TransferRecord } from '../record.ts'

/** Clocks of processes that a fault has set differ by less. */
const clocks_ms_max = 7_000

const monthOf = (time: string) => `date_trunc('month', (${time}) at time zone 'UTC')::date`
const clock = (clocks: '+' | '-', time: string) => monthOf(`${time} ${clocks} $2 * interval '1 ms'`)

/**
 * A line of the journal has the month of its time by the clock of the database, and a report that of its
 * time. A transfer, and all that is stored with it, has that of the moment in which it was stored.
 */
const misfiled = `
  select 'a line of the journal' as what, entry_id as id from participant_lifecycle.journal
  where at >= $3::timestamptz and month <> ${monthOf('at')}
  union all
  select 'a transfer', id from transfers.transfers
  where id = any($1::text[]) and (month < ${clock('-', 'received_at')}
    or month > ${clock('+', 'completed_at')})
  union all
  select 'a message about a transfer', t.id from transfers.transfers t
  join transfers.messages m on m.transfer_id = t.id
  where t.id = any($1::text[]) and m.month <> t.month
  union all
  select 'a bulk', id from transfers.bulk_transfers b
  where id = any($1::text[]) and (exists (
    select from transfers.bulk_messages m where m.bulk_id = b.id and m.month <> b.month
  ) or exists (select from transfers.transfers t where t.bulk_id = b.id and t.month <> b.month))
  union all
  select 'a refused message', transfer_id from transfers.refused_messages
  where transfer_id = any($1::text[]) and (month < ${clock('-', 'received_at')}
    or month > ${clock('+', 'received_at')})
  union all
  select 'a report', transfer_id from transfers.deliveries
  where transfer_id = any($1::text[]) and (month < ${clock('-', 'reported_at')}
    or month > ${clock('+', 'reported_at')})
  union all
  select 'a delivery', entity_id from notifications.deliveries
  where entity_id = any($1::text[]) and (month < ${clock('-', '$3::timestamptz')}
    or month > ${clock('+', 'reported_at')})
  union all
  select 'a message about a quote', q.id from quoting.quotes q
  join quoting.messages m on m.quote_id = q.id
  where q.id = any($1::text[]) and m.month <> q.month`

interface Misfiled {
  readonly what: string
  readonly id: string
}

export interface MonthEvidence {
  readonly plan: Plan
  readonly records: readonly TransferRecord[]
  readonly bulkIds: readonly string[]
  /** When the history began. */
  readonly began_ms: number
}

/** Everything that is wrong, as sentences, where a month has ended meanwhile. */
export async function judgeMonths(
  supervisor: Supervisor,
  server: SqlServer,
  { plan, records, bulkIds, began_ms }: MonthEvidence,
): Promise<readonly string[]> {
  if (plan.monthEnds_ms === undefined) return []
  const quotes = records.flatMap(({ questions }) => questions.map(({ about }) => about))
  const ids = [...records.map(({ id }) => id), ...bulkIds, ...quotes]
  const skew_ms = plan.faults.some(({ type }) => type === 'CLOCK') ? clocks_ms_max : 0
  const began = new Date(began_ms).toISOString()
  const rows = await server.read<Misfiled>(misfiled, [ids, skew_ms, began])
  const isUndisturbed = plan.faults.length === 0
  const unread = await Promise.all(
    records.map((record) => unreadOf(supervisor, record, isUndisturbed)),
  )
  return [
    ...rows.map(({ what, id }) => `${what} lies in another month than it belongs to: ${id}`),
    ...unread.flat(),
  ]
}

/** The messages that should be in the record of a transfer, and are not. */
async function unreadOf(
  supervisor: Supervisor,
  { id, asked, payerEnds }: TransferRecord,
  isUndisturbed: boolean,
): Promise<readonly string[]> {
  const { record } = await supervisor.ask(({ grpc }) =>
    grpc.client(transfersService, 'transfers').GetTransferRecord({ id }),
  )
  const kept = new Set<string>(
    record?.messages.filter(({ body }) => body.includes('{')).map(({ kind }) => kind),
  )
  const wanted = [
    ...(asked > 0 ? ['PREPARE'] : []),
    // After an outage the evidence of the ledger may have ended it.
    ...(isUndisturbed && payerEnds.includes('COMMITTED') ? ['FULFIL'] : []),
  ]
  return wanted
    .filter((kind) => !kept.has(kind))
    .map((kind) => `the record of ${id} lacks its ${kind}`)
}
