/** The SQL of the erasure of a person. */
import { statement, type Queries } from '@causeway/postgres'
import type { Party } from '../domain/party.ts'

const eraseAssociations = statement(`
  with former as (
    delete from former_owners
    where party_id_type = $1::text and party_identifier = $2::text
      and ($3::text is null or party_sub_id = $3::text)
  )
  delete from associations
  where party_id_type = $1::text and party_identifier = $2::text
    and ($3::text is null or party_sub_id = $3::text)
  returning party_sub_id`)

/**
 * Deletes which FSPs the party belongs to, and belonged to; returns the parties that had one.
 * @param subId null: every one
 */
export async function eraseParty(
  db: Queries,
  { type, identifier }: Pick<Party, 'type' | 'identifier'>,
  subId: string | null,
): Promise<readonly Party[]> {
  const rows = await db.query<{ party_sub_id: string }>(eraseAssociations, [
    type,
    identifier,
    subId,
  ])
  return rows.map(({ party_sub_id }) => ({ type, identifier, subId: party_sub_id }))
}
