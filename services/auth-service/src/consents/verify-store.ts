/** The queries of `verify`: consents and accepted signatures. */
import { statement, type Queries } from '@causeway/postgres'
import { consentColumns, type ConsentRow } from './row.ts'

const page_max = 500
const untimely_max = 100
/** The maximum difference between the clocks of two processes. */
const clocks = '1 second'

const pageStatement = statement(`
  select ${consentColumns} from consents c
  where c.state in ('PENDING', 'ISSUED')
    and ($1::timestamptz is null or (c.registered_at, c.id) < ($1::timestamptz, $2::text))
  order by c.registered_at desc, c.id desc limit ${page_max}`)

const untimelyStatement = statement(`
  select v.id, v.consent_id from verifications v left join consents c on c.id = v.consent_id
  where v.reason is null and (
    c.issued_at is null or c.dfsp <> v.dfsp or c.issued_at > v.decided_at + interval '${clocks}'
    or c.revoked_at < v.decided_at - interval '${clocks}'
      -- A DFSP names the time of its revocation, and the hub may learn of it later.
      and exists (select from consent_steps s where s.consent_id = c.id and s.step = 'REVOKED'
        and s.at < v.decided_at - interval '${clocks}'))
  order by v.id limit ${untimely_max}`)

const countStatement = statement(`
  select count(*)::int as verified from verifications where reason is null`)

/** Consents in force, newest first, after the last one of the page before; empty at the end. */
export function readInForce(
  db: Queries,
  last: Pick<ConsentRow, 'id' | 'registered_at'> | undefined,
): Promise<readonly ConsentRow[]> {
  return db.query<ConsentRow>(pageStatement, [last?.registered_at ?? null, last?.id ?? ''])
}

/** Signatures that were accepted while their consent was not in force. */
export function readUntimely(
  db: Queries,
): Promise<readonly { readonly id: string; readonly consent_id: string }[]> {
  return db.query(untimelyStatement, [])
}

export async function countVerified(db: Queries): Promise<number> {
  const [count] = await db.query<{ verified: number }>(countStatement, [])
  return count?.verified ?? 0
}
