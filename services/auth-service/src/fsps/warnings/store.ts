/** The keys and certificates that end soon, and the warnings about them. */
import { statement, textArray, type Transaction } from '@causeway/postgres'

export interface Warning {
  readonly participant: string
  readonly kind: 'SIGNING_KEY' | 'ENCRYPTION_KEY' | 'CERTIFICATE'
  readonly credentialId: string
  readonly endsAt: Date
}

/** Of the keys for one use, and of the certificates, the one that lasts longest counts. */
const insertWarnings = statement(`
  with ending as (
    select participant, case use when 'sig' then 'SIGNING_KEY' else 'ENCRYPTION_KEY' end as kind,
      kid as credential_id, valid_to
    from participant_keys keys
    where valid_to > $2 and not exists (
      select from participant_keys later
      where later.participant = keys.participant and later.use = keys.use
        and later.valid_from <= keys.valid_to
        and (later.valid_to is null or later.valid_to > keys.valid_to))
    union all
    select participant, 'CERTIFICATE', serial, valid_to from (
      select distinct on (participant) participant, serial, valid_to from certificates
      where revoked_at is null
      order by participant, valid_to desc, serial
    ) last
    where valid_to > $2
  )
  insert into credential_warnings (participant, kind, credential_id, ends_at, days, warned_at)
  select participant, kind, credential_id, valid_to, min(days), $2
  from ending cross join unnest($1::text[]::integer[]) as before (days)
  where valid_to <= $2::timestamptz + days * interval '1 day'
  group by participant, kind, credential_id, valid_to
  on conflict do nothing
  returning participant, kind, credential_id as "credentialId", ends_at as "endsAt"`)

/** Stores the warnings that are due, and returns those that are new. */
export async function addWarnings(
  tx: Transaction,
  days: readonly number[],
  now: Date,
): Promise<readonly Warning[]> {
  return tx.query<Warning>(insertWarnings, [textArray(days.map(String)), now])
}
