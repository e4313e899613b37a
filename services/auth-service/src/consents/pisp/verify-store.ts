/**
 * Verifies third-party transactions: the state of each is that of a message of its DFSP, and no
 * such message is ignored. The order of messages is not checked: an end counts once, whatever
 * follows it.
 */
import { statement, type Queries } from '@causeway/postgres'

export interface TransactionsVerified {
  readonly compared: number
  /** One sentence each. */
  readonly differences: string[]
}

/** The newest. */
const transactions_max = 20_000
/** Further differences are not reported. */
const differences_max = 100

// If the first message is archived, others may be as well, so the transaction is skipped.
const compareStatement = statement(`
  with newest as materialized (
    select t.id, t.pisp, t.dfsp, t.requested_at, t.state from third_party_transactions t
    order by t.requested_at desc, t.id desc limit ${transactions_max}
  ), compared as materialized (
    select t.id, t.state,
      coalesce(bool_or(s.source_fsp = t.pisp and s.method = 'POST'), false) as is_kept,
      coalesce(bool_or(s.source_fsp = t.dfsp and s.method <> 'POST'
        and s.received_at >= t.requested_at
        and (s.outcome is not null or s.error_code is not null)), false) as is_told,
      coalesce(bool_or(s.source_fsp = t.dfsp and s.method <> 'POST' and case
        when t.state = 'FAILED' then s.error_code is not null
        else s.outcome = t.state end), false) as is_so
    from newest t
    left join third_party_steps s on s.transaction_request_id = t.id and s.about = 'TRANSACTION'
    group by t.id, t.state
  )
  select counted.compared, d.id, d.state
  from (select count(*)::int as compared from compared where is_kept) as counted
  left join lateral (
    select id, state from compared
    where is_kept and case when state = 'REQUESTED' then is_told else not is_so end
    order by id limit ${differences_max}
  ) as d on true`)

interface DifferenceRow {
  /** Null in the single row of a result without differences. */
  readonly id: string | null
  readonly state: string | null
  readonly compared: number
}

export async function verifyTransactions(db: Queries): Promise<TransactionsVerified> {
  const rows = await db.query<DifferenceRow>(compareStatement, [])
  return {
    compared: rows[0]?.compared ?? 0,
    differences: rows.flatMap(({ id, state }) =>
      id === null
        ? []
        : [`third-party transaction ${id} is ${state}, which contradicts the messages of its DFSP`],
    ),
  }
}
