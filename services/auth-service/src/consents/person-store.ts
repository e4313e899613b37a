/** The SQL of the erasure of a person: which consents that are over concern it. */
import { statement, type Queries } from '@causeway/postgres'

const selectOfPerson = statement(`
  select distinct c.id from revoked_credentials r join consents c on c.id = r.consent_id
  where c.erased_at is null
    and (position($1::text in r.scopes) > 0 or position($1::text in r.credential) > 0)
  union
  select id from consents
  where $2::text in ('CONSENT', 'CONSENTS') and id = $3::text collate "C"
    and erased_at is null and state in ('REVOKED', 'REFUSED')`)

/** Scopes name accounts: an identifier is looked for as a JSON text of its own. */
export async function consentsOfPerson(
  db: Queries,
  { type, identifier }: { readonly type: string; readonly identifier: string },
): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(selectOfPerson, [
    JSON.stringify(identifier),
    type,
    identifier,
  ])
  return rows.map(({ id }) => id)
}
