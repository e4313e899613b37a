/** Storage of pings, in batches. */
import { statement, textArray, type Queries, type Transaction } from '@causeway/postgres'
import type { Callback, LastPing, Ping } from './domain/ping.ts'

const received = `unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
    $6::text[]::timestamptz[])
  as heard (participant, ping_id, version, identity, kid, received_at)`

const insertPings = statement(`
  insert into pings (participant, ping_id, version, identity, kid, received_at)
  select * from ${received}
  on conflict do nothing
  returning participant, ping_id as "pingId"`)

/** A repeated ping requests another answer; a redelivery is not newer. */
const renewPings = statement(`
  update pings set version = heard.version, identity = heard.identity, kid = heard.kid,
    received_at = heard.received_at, callback_status = null, callback_error = null,
    callback_at = null
  from ${received}
  where pings.participant = heard.participant and pings.ping_id = heard.ping_id
    and pings.received_at < heard.received_at
  returning pings.participant, pings.ping_id as "pingId"`)

export interface PingKey {
  readonly participant: string
  readonly pingId: string
}

/** Stores new pings and returns them. The list contains each ping once. */
export async function savePings(
  tx: Transaction,
  pings: readonly Ping[],
): Promise<readonly PingKey[]> {
  const values = [
    textArray(pings.map(({ participant }) => participant)),
    textArray(pings.map(({ pingId }) => pingId)),
    textArray(pings.map(({ version }) => version)),
    textArray(pings.map(({ identity }) => identity)),
    textArray(pings.map(({ kid }) => kid)),
    textArray(pings.map(({ receivedAt }) => receivedAt.toISOString())),
  ]
  const inserted = await tx.query<PingKey>(insertPings, values)
  if (inserted.length === pings.length) return inserted
  return [...inserted, ...(await tx.query<PingKey>(renewPings, values))]
}

const updateCallbacks = statement(`
  update pings set callback_status = reported.status, callback_error = reported.error,
    callback_at = reported.reported_at
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]::timestamptz[])
    as reported (participant, ping_id, status, error, reported_at)
  where pings.participant = reported.participant and pings.ping_id = reported.ping_id
    and pings.received_at <= reported.reported_at
    and (pings.callback_at is null or pings.callback_at < reported.reported_at)`)

/** The list contains each ping once; an unknown ping or an older outcome changes nothing. */
export async function saveCallbacks(
  tx: Transaction,
  callbacks: readonly Callback[],
): Promise<void> {
  await tx.query(updateCallbacks, [
    textArray(callbacks.map(({ participant }) => participant)),
    textArray(callbacks.map(({ pingId }) => pingId)),
    textArray(callbacks.map(({ status }) => status)),
    textArray(callbacks.map(({ error }) => error)),
    textArray(callbacks.map(({ reportedAt }) => reportedAt.toISOString())),
  ])
}

const selectLast = statement(`
  select last.* from unnest($1::text[]) as asked (participant)
  cross join lateral (
    select participant, ping_id as "pingId", version, identity, kid, received_at as "receivedAt",
      callback_status as "callbackStatus", callback_error as "callbackError",
      callback_at as "callbackAt"
    from pings where pings.participant = asked.participant
    order by received_at desc, ping_id desc
    limit 1
  ) as last`)

/** The last ping of each FSP; FSPs without pings are left out. */
export async function lastPings(
  db: Queries,
  participants: readonly string[],
): Promise<readonly LastPing[]> {
  return db.query<LastPing>(selectLast, [textArray(participants)])
}

const deleteOld = statement(`
  delete from pings where received_at < $1 and exists (
    select from pings as later
    where later.participant = pings.participant and later.received_at > pings.received_at)`)

/** Deletes older pings, but never the last one of an FSP. */
export async function deletePings(db: Queries, before: Date): Promise<void> {
  await db.query(deleteOld, [before])
}
