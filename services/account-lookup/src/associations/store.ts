/**
 * The hub's own oracle: associations as rows, and the requests that were worked on. Rows are read and
 * changed for many parties at once, under locks that are taken in one order.
 */
import { statement, textArray, type Database, type Queries } from '@causeway/runtime'
import type { Association } from '../domain/match.ts'
import { partyKey, type Party } from '../domain/party.ts'
import type { Held } from './domain/register.ts'

/** What is known of a request that an oracle is to be called for. */
export type Beginning = 'NEW' | 'REPEATED' | 'HANDLED'

export interface AssociationStore {
  /** By party key, each party's oldest first; parties without any are left out. */
  find(parties: readonly Party[]): Promise<ReadonlyMap<string, readonly Association[]>>
  /** Notes that oracles are about to be called, and tells which of the requests are repeats. */
  begin(eventIds: readonly string[], now: Date): Promise<ReadonlyMap<string, Beginning>>
  /** Forgets requests that were handled before that moment; how many those were. */
  forgetHandled(before: Date, limit: number): Promise<number>
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
      else 'REPEATED' end as beginning
  from asked`)

const forgetStatement = statement(`
  with old as (
    delete from handled where event_id in (
      select event_id from handled where handled_at < $1::timestamptz limit $2::integer)
    returning 1
  ), given_up as (
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

// Whoever changes parties holds their stripes, so that an association for any currency and one for a
// single one, which no key keeps apart, cannot be made at the same moment.
const lockStatement = statement(`
  select pg_advisory_xact_lock('associations'::regclass::oid::integer, stripe) is null as locked
  from (
    select distinct hashtext(type || '/' || identifier || '/' || sub_id) & 255 as stripe
    from unnest($1::text[], $2::text[], $3::text[]) as q (type, identifier, sub_id)
    order by stripe
  ) stripes`)

const heldStatement = statement(`
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

// Nobody else moves these rows now; by their place no plan can look through others.
const removeStatement = statement(`
  delete from associations where ctid = any (array(
    select a.ctid
    from unnest($1::text[], $2::text[], $3::text[], $4::text[])
      as q (type, identifier, sub_id, currency)
    cross join lateral (
      select ctid from associations
      where party_id_type = q.type and party_identifier = q.identifier and party_sub_id = q.sub_id
        and currency = q.currency
      offset 0
    ) a))`)

interface CountRow {
  readonly count: number
}

export function openAssociationStore(db: Database): AssociationStore {
  return {
    async find(parties) {
      interface Row {
        readonly n: number
        readonly currency: string
        readonly fsp_id: string
      }
      const rows = await db.query<Row>(findStatement, partyArrays(parties))
      const found = new Map<string, Association[]>()
      for (const { n, currency, fsp_id: fspId } of rows) {
        const party = parties[n - 1]
        if (party === undefined) throw new Error('PostgreSQL answered for a party nobody asked for')
        const key = partyKey(party)
        const association = { subId: party.subId, currency, fspId }
        const others = found.get(key)
        if (others === undefined) found.set(key, [association])
        else others.push(association)
      }
      return found
    },
    async begin(eventIds, now) {
      if (eventIds.length === 0) return new Map()
      interface Row {
        readonly id: string
        readonly beginning: Beginning
      }
      const rows = await db.query<Row>(beginStatement, [textArray(eventIds), now])
      return new Map(rows.map(({ id, beginning }) => [id, beginning]))
    },
    async forgetHandled(before, limit) {
      const [row] = await db.query<CountRow>(forgetStatement, [before, limit])
      return row?.count ?? 0
    },
  }
}

/** Those of the requests that nobody has worked on yet: they are the caller's now. */
export async function claim(
  tx: Queries,
  eventIds: readonly string[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ event_id: string }>(claimStatement, [textArray(eventIds), now])
  return new Set(rows.map(({ event_id }) => event_id))
}

/** All that is stored of these parties; nobody else changes it before the transaction ends. */
export async function lock(tx: Queries, parties: readonly Party[]): Promise<readonly Held[]> {
  if (parties.length === 0) return []
  interface Row {
    readonly type: Party['type']
    readonly identifier: string
    readonly sub_id: string
    readonly currency: string
    readonly fsp_id: string
  }
  const arrays = partyArrays(parties)
  await tx.query(lockStatement, arrays)
  // A statement of its own: it sees what was committed while the lock was waited for.
  const rows = await tx.query<Row>(heldStatement, arrays)
  return rows.map(({ type, identifier, sub_id: subId, currency, fsp_id: fspId }) => ({
    party: { type, identifier, subId },
    currency,
    fspId,
  }))
}

/** The parties are locked, and none of it is stored. */
export async function add(tx: Queries, added: readonly Held[], now: Date): Promise<void> {
  if (added.length === 0) return
  await tx.query(addStatement, [
    ...partyArrays(added.map(({ party }) => party)),
    textArray(added.map(({ currency }) => currency)),
    textArray(added.map(({ fspId }) => fspId)),
    now,
  ])
}

export async function remove(tx: Queries, removed: readonly Held[]): Promise<void> {
  if (removed.length === 0) return
  await tx.query(removeStatement, [
    ...partyArrays(removed.map(({ party }) => party)),
    textArray(removed.map(({ currency }) => currency)),
  ])
}

function partyArrays(parties: readonly Party[]): Buffer[] {
  return [
    textArray(parties.map(({ type }) => type)),
    textArray(parties.map(({ identifier }) => identifier)),
    textArray(parties.map(({ subId }) => subId)),
  ]
}
