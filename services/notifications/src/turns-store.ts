/** The SQL that finds entities of which something is parked and nothing has its turn. */
import { statement, type Database, type Queries } from '@causeway/runtime'
import type { Linked } from './domain/chains.ts'
import { inTurn } from './store.ts'

/** In the order of FSP and entity, from the one after the given entity on. */
const selectBehind = statement(`
  select behind.fsp_id, behind.entity_id, not exists (
    select from undelivered turn
    where turn.fsp_id = behind.fsp_id and turn.entity_id = behind.entity_id
      and turn.state = 'PARKED' and turn.at_turn offset 0) as stranded
  from (
    select fsp_id, entity_id from undelivered
    where state = 'PARKED' and not at_turn and (fsp_id, entity_id) > ($1, $2)
    order by fsp_id, entity_id limit $3
  ) behind order by behind.fsp_id, behind.entity_id`)

interface BehindRow {
  readonly fsp_id: string
  readonly entity_id: string
  readonly stranded: boolean
}

const page = 1_000
const first: Linked = { fspId: '', entityId: '' }

/**
 * Gives the turn to the oldest of each entity that has none, which a process of a release without turns
 * parks; how many got it. Looks through what waits in short pages.
 */
export async function giveTurns(db: Database): Promise<number> {
  let given = 0
  for (let after: Linked | undefined = first; after !== undefined;) {
    const rows: readonly BehindRow[] = await behind(db, after)
    const stranded = new Map(
      rows
        .filter((row) => row.stranded)
        .map(({ fsp_id: fspId, entity_id: entityId }) => [
          `${fspId}\n${entityId}`,
          { fspId, entityId },
        ]),
    )
    if (stranded.size > 0) {
      await db.transaction((tx) => inTurn(tx, [...stranded.values()], () => Promise.resolve()))
    }
    given += stranded.size
    const last = rows.length < page ? undefined : rows.at(-1)
    after = last && { fspId: last.fsp_id, entityId: last.entity_id }
  }
  return given
}

function behind(db: Queries, { fspId, entityId }: Linked): Promise<readonly BehindRow[]> {
  return db.query<BehindRow>(selectBehind, [fspId, entityId, page])
}
