/**
 * The hub's own oracle: associations, and the ids of processed requests. Rows are read and changed
 * for many parties at once, under locks that are taken in one order.
 */
import { statement, textArray, type Database, type Queries } from '@causeway/postgres'
import type { Association } from '../domain/match.ts'
import { partyKey, type Party } from '../domain/party.ts'
import type { PartyAssociation } from './domain/register.ts'

/** The state of a request that is about to call an oracle. */
export type RequestStatus = 'NEW' | 'REPEATED' | 'HANDLED'

export interface AssociationStore {
  /** By party key, oldest association first; parties without associations are left out. */
  find(parties: readonly Party[]): Promise<ReadonlyMap<string, readonly Association[]>>
  /** The same, with the associations that were removed after that moment. */
  findSince(
    parties: readonly Party[],
    since: Date,
  ): Promise<ReadonlyMap<string, readonly Association[]>>
  /** Records that oracles are about to be called, and reports which requests are repeats. */
  begin(eventIds: readonly string[], now: Date): Promise<ReadonlyMap<string, RequestStatus>>
  /**
   * Deletes at most `limit` requests that were handled before that moment; returns their number.
   */
  deleteHandled(before: Date, limit: number): Promise<number>
  /** Deletes the associations that were removed before that moment. */
  deleteRemoved(before: Date): Promise<void>
}

const findStatement = statement(`
  select q.n::integer, a.currency, a.fsp_id
  from unnest($1::text[], $2::text[], $3::text[]) with ordinality as q (type, identifier, sub_id, n)
  cross join lateral (
    select currency, fsp_id, created_at, place from associations
    where party_id_type = q.type and party_identifier = q.identifier and party_sub_id = q.sub_id
    offset 0
  ) a
  order by a.created_at, a.place`)

const findSinceStatement = statement(`
  select q.n::integer, a.currency, a.fsp_id
  from unnest($1::text[], $2::text[], $3::text[]) with ordinality as q (type, identifier, sub_id, n)
  cross join lateral (
    select currency, fsp_id from associations
    where party_id_type = q.type and party_identifier = q.identifier and party_sub_id = q.sub_id
    union all
    select currency, fsp_id from former_owners
    where party_id_type = q.type and party_identifier = q.identifier and party_sub_id = q.sub_id
      and removed_at > $4::timestamptz
    offset 0
  ) a`)

const beginStatement = statement(`
  with asked as materialized (
    select distinct id from unnest($1::text[]::uuid[]) as a (id)
  ), known as materialized (
    select id from asked join handled on event_id = id
  ), noted as (
    insert into begun (event_id, begun_at)
    select id, $2::timestamptz from asked where id not in (select id from known) order by id
    on conflict (event_id) do nothing
    returning event_id
  )
  select asked.id,
    case when asked.id in (select id from known) then 'HANDLED'
      when asked.id in (select event_id from noted) then 'NEW'
      else 'REPEATED' end as status
  from asked`)

const deleteStatement = statement(`
  with old as (
    delete from handled where event_id in (
      select event_id from handled where handled_at < $1::timestamptz limit $2::integer)
    returning 1
  ), deleted as (
    delete from begun where begun_at < $1::timestamptz
  )
  select count(*)::integer as count from old`)

const claimStatement = statement(`
  with claimed as (
    insert into handled (event_id, handled_at)
    select id, $2::timestamptz from unnest($1::text[]::uuid[]) as a (id) order by id
    on conflict (event_id) do nothing
    returning event_id
  ), ended as (
    delete from begun where event_id in (select event_id from claimed)
  )
  select event_id from claimed`)

// A transaction that changes parties locks their stripes. So an association for any currency and
// one for a single currency, which no key separates, cannot be made at the same moment.
const lockStatement = statement(`
  select pg_advisory_xact_lock('associations'::regclass::oid::integer, stripe) is null as locked
  from (
    select distinct hashtext(type || '/' || identifier || '/' || sub_id) & 255 as stripe
    from unnest($1::text[], $2::text[], $3::text[]) as q (type, identifier, sub_id)
    order by stripe
  ) stripes`)

const storedStatement = statement(`
  select q.type, q.identifier, q.sub_id, a.currency, a.fsp_id
  from (
    select distinct type, identifier, sub_id
    from unnest($1::text[], $2::text[], $3::text[]) as q (type, identifier, sub_id)
  ) q
  cross join lateral (
    select currency, fsp_id from associations
    where party_id_type = q.type and party_identifier = q.identifier and party_sub_id = q.sub_id
    offset 0
  ) a`)

const addStatement = statement(`
  insert into associations
    (party_id_type, party_identifier, party_sub_id, currency, fsp_id, created_at, place)
  select type, identifier, sub_id, currency, fsp_id, $6::timestamptz, n
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) with ordinality
    as q (type, identifier, sub_id, currency, fsp_id, n)`)

// The parties are locked, so no other transaction moves these rows; addressing them by ctid keeps
// every plan from scanning others.
const removeStatement = statement(`
  with removed as (
    delete from associations where ctid = any (array(
      select a.ctid
      from unnest($1::text[], $2::text[], $3::text[], $4::text[])
        as q (type, identifier, sub_id, currency)
      cross join lateral (
        select ctid from associations
        where party_id_type = q.type and party_identifier = q.identifier and party_sub_id = q.sub_id
          and currency = q.currency
        offset 0
      ) a))
    returning party_id_type, party_identifier, party_sub_id, currency, fsp_id
  )
  insert into former_owners
    (party_id_type, party_identifier, party_sub_id, currency, fsp_id, removed_at)
  select *, $5::timestamptz from removed
  on conflict (party_id_type, party_identifier, party_sub_id, currency, fsp_id)
    do update set removed_at = excluded.removed_at`)

const deleteRemovedStatement = statement(`
  delete from former_owners where removed_at < $1::timestamptz`)

interface CountRow {
  readonly count: number
}

interface FoundRow {
  readonly n: number
  readonly currency: string
  readonly fsp_id: string
}

export function openAssociationStore(db: Database): AssociationStore {
  return {
    async find(parties) {
      return foundIn(parties, await db.query<FoundRow>(findStatement, partyArrays(parties)))
    },
    async findSince(parties, since) {
      const values = [...partyArrays(parties), since]
      return foundIn(parties, await db.query<FoundRow>(findSinceStatement, values))
    },
    async begin(eventIds, now) {
      if (eventIds.length === 0) return new Map()
      interface RequestStatusRow {
        readonly id: string
        readonly status: RequestStatus
      }
      const rows = await db.query<RequestStatusRow>(beginStatement, [textArray(eventIds), now])
      return new Map(rows.map(({ id, status }) => [id, status]))
    },
    async deleteHandled(before, limit) {
      const [row] = await db.query<CountRow>(deleteStatement, [before, limit])
      return row?.count ?? 0
    },
    async deleteRemoved(before) {
      await db.query(deleteRemovedStatement, [before])
    },
  }
}

/** By party key, in the order of the rows. */
function foundIn(
  parties: readonly Party[],
  rows: readonly FoundRow[],
): ReadonlyMap<string, readonly Association[]> {
  const found = new Map<string, Association[]>()
  for (const { n, currency, fsp_id: fspId } of rows) {
    const party = parties[n - 1]
    if (party === undefined)
      throw new Error('PostgreSQL answered for a party that was not requested')
    const key = partyKey(party)
    const association = { subId: party.subId, currency, fspId }
    const others = found.get(key)
    if (others === undefined) found.set(key, [association])
    else others.push(association)
  }
  return found
}

/** Claims the requests that have not been processed; returns the ids that this transaction owns. */
export async function claim(
  tx: Queries,
  eventIds: readonly string[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ event_id: string }>(claimStatement, [textArray(eventIds), now])
  return new Set(rows.map(({ event_id }) => event_id))
}

/** Locks the parties until the end of the transaction and returns their associations. */
export async function lock(
  tx: Queries,
  parties: readonly Party[],
): Promise<readonly PartyAssociation[]> {
  if (parties.length === 0) return []
  interface AssociationRow {
    readonly type: Party['type']
    readonly identifier: string
    readonly sub_id: string
    readonly currency: string
    readonly fsp_id: string
  }
  const arrays = partyArrays(parties)
  await tx.query(lockStatement, arrays)
  // A separate statement: it sees what was committed while the lock was waited for.
  const rows = await tx.query<AssociationRow>(storedStatement, arrays)
  return rows.map(({ type, identifier, sub_id: subId, currency, fsp_id: fspId }) => ({
    party: { type, identifier, subId },
    currency,
    fspId,
  }))
}

/** Requires that the parties are locked and the associations are not stored. */
export async function add(
  tx: Queries,
  added: readonly PartyAssociation[],
  now: Date,
): Promise<void> {
  if (added.length === 0) return
  await tx.query(addStatement, [
    ...partyArrays(added.map(({ party }) => party)),
    textArray(added.map(({ currency }) => currency)),
    textArray(added.map(({ fspId }) => fspId)),
    now,
  ])
}

/** Until recently they were the owners: `findSince` returns them. */
export async function remove(
  tx: Queries,
  removed: readonly PartyAssociation[],
  now: Date,
): Promise<void> {
  if (removed.length === 0) return
  await tx.query(removeStatement, [
    ...partyArrays(removed.map(({ party }) => party)),
    textArray(removed.map(({ currency }) => currency)),
    now,
  ])
}

function partyArrays(parties: readonly Party[]): Buffer[] {
  return [
    textArray(parties.map(({ type }) => type)),
    textArray(parties.map(({ identifier }) => identifier)),
    textArray(parties.map(({ subId }) => subId)),
  ]
}
