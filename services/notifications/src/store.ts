/** The SQL of `deliveries` (notifications that have ended) and `undelivered` (those that have not). */
import { plainBodies, type Bodies } from '@causeway/keys/months'
import { byteaArray, statement, textArray, type Queries, type Value } from '@causeway/postgres'
import { noTries, type Try } from './domain/tries.ts'
import {
  duration_msOf,
  storableError,
  type EndedNotification,
  type Notification,
  type NotificationResult,
  type Waits,
} from './contract.ts'

export interface StoredStatus {
  /** It is in `deliveries` or `undelivered` already. */
  readonly taken: boolean
  /** An earlier notification to the same FSP about the same entity is not delivered yet. */
  readonly blocked: boolean
  /** Its idempotency key has other content. */
  readonly modified: boolean
}

const unknown: StoredStatus = { taken: false, blocked: false, modified: false }

/** `offset 0` forces an index look-up for each, even when the plan was made for small tables. */
const findKnown = statement(`
  select at, taken, blocked from (
    select (asked.at - 1)::int as at,
      exists (
        select from deliveries d
        where d.notification_id = asked.id and d.month between $4::date and $5::date offset 0
      ) or exists (
        select from undelivered u where u.notification_id = asked.id offset 0
      ) as taken,
      exists (
        select from undelivered u
        where u.fsp_id = asked.fsp_id and u.entity_id = asked.entity_id and u.state = 'PARKED'
        offset 0
      ) as blocked
    from unnest($1::text[]::uuid[], $2::text[], $3::text[])
      with ordinality as asked(id, fsp_id, entity_id, at)
  ) known where taken or blocked`)

/** What is stored of each; `deliveries` is searched from the first to the last given month. */
export async function readKnown(
  db: Queries,
  asked: readonly Notification[],
  months: readonly [first: string, last: string],
): Promise<readonly StoredStatus[]> {
  const rows = await db.query<Omit<StoredStatus, 'modified'> & { readonly at: number }>(findKnown, [
    textArray(asked.map(({ id }) => id)),
    textArray(asked.map(({ fspId }) => fspId)),
    textArray(asked.map(({ entityId }) => entityId)),
    ...months,
  ])
  const known = asked.map(() => unknown)
  for (const { at, taken, blocked } of rows) known[at] = { taken, blocked, modified: false }
  return known
}

const claimKeysStatement = statement(`
  insert into idempotency_keys (key, content)
  select distinct on (key) key, content
  from unnest($1::text[], $2::text[]) with ordinality as asked (key, content, at)
  order by key, at
  on conflict (key) do nothing`)

const contentsStatement = statement(`
  select key, content from idempotency_keys where key = any ($1::text[])`)

/** What each of the idempotency keys stands for; keys that were never used are left out. */
export async function readContents(
  db: Queries,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  interface ContentRow {
    readonly key: string
    readonly content: string
  }
  const rows = await db.query<ContentRow>(contentsStatement, [textArray(keys)])
  return new Map(rows.map(({ key, content }) => [key, content]))
}

/** Claims the idempotency keys; returns the notifications whose key belongs to other content. */
export async function claimKeys(
  db: Queries,
  notifications: readonly Notification[],
): Promise<ReadonlySet<Notification>> {
  const guarded = notifications.flatMap((notification) => {
    const { idempotency } = notification.request
    return idempotency === undefined ? [] : [{ notification, ...idempotency }]
  })
  if (guarded.length === 0) return new Set()
  const keys = guarded.map(({ key }) => key)
  const asked = guarded.map(({ content }) => content)
  await db.query(claimKeysStatement, [textArray(keys), textArray(asked)])
  // A separate statement, which sees rows committed while the first one waited.
  const contents = await readContents(db, keys)
  const modified = guarded.filter(({ key, content }) => contents.get(key) !== content)
  return new Set(modified.map(({ notification }) => notification))
}

const insertLines = statement(`
  insert into deliveries (notification_id, month, fsp_id, entity_id, leg_role, cause, status,
    attempts, http_status, duration_ms, last_error, reported_at, tries)
  select * from unnest($1::text[]::uuid[], $2::text[]::date[], $3::text[], $4::text[], $5::text[],
    $6::text[], $7::text[], $8::text[]::int[], $9::text[]::int[], $10::text[]::int[], $11::text[],
    $12::text[]::timestamptz[], $13::text[])
  on conflict do nothing`)

const insertUndelivered = statement(`
  insert into undelivered (notification_id, month, state, fsp_id, entity_id, request, body, deadline,
    taken_at, attempts, next_attempt_at, busy_until, http_status, last_error, tries, source)
  select id, month, state, fsp_id, entity_id, request, body, deadline, taken_at, attempts,
    next_attempt_at, busy_until, http_status, last_error, tries, source
  from unnest($1::text[]::uuid[], $2::text[]::date[], $3::text[], $4::text[], $5::text[],
    $6::text[]::json[], $7::bytea[], $8::text[]::timestamptz[], $9::text[]::timestamptz[],
    $10::text[]::int[], $11::text[]::timestamptz[], $12::text[]::timestamptz[],
    $13::text[]::int[], $14::text[], $15::text[], $16::text[])
    with ordinality as r(id, month, state, fsp_id, entity_id, request, body, deadline, taken_at,
      attempts, next_attempt_at, busy_until, http_status, last_error, tries, source, at)
  order by at
  on conflict do nothing`)

const removeDelivered = statement(`
  delete from undelivered u
  using unnest($1::text[]::uuid[], $2::text[]::date[]) as done(id, month)
  where u.notification_id = done.id and u.month = done.month`)

const updateUndelivered = statement(`
  update undelivered u set state = r.state, attempts = r.attempts,
    next_attempt_at = r.next_attempt_at, busy_until = r.busy_until, http_status = r.http_status,
    last_error = coalesce(r.last_error, u.last_error), tries = r.tries
  from unnest($1::text[]::uuid[], $2::text[]::date[], $3::text[], $4::text[]::int[],
    $5::text[]::timestamptz[], $6::text[]::timestamptz[], $7::text[]::int[], $8::text[], $9::text[])
    as r(id, month, state, attempts, next_attempt_at, busy_until, http_status, last_error, tries)
  where u.notification_id = r.id and u.month = r.month`)

const lockTurns = statement(`
  select pg_advisory_xact_lock(h) from (
    select distinct hashtextextended(fsp_id || E'\\n' || entity_id, 0) as h
    from unnest($1::text[], $2::text[]) as k(fsp_id, entity_id) order by h
  ) locks`)

const nextTurns = statement(`
  update undelivered u set at_turn = true
  from (select distinct * from unnest($1::text[], $2::text[])) as k(fsp_id, entity_id)
  cross join lateral (
    select notification_id, month from undelivered o
    where o.fsp_id = k.fsp_id and o.entity_id = k.entity_id and o.state = 'PARKED'
    order by o.n limit 1
  ) oldest
  where u.notification_id = oldest.notification_id and u.month = oldest.month and not u.at_turn`)

/**
 * Runs `work`, which parks or removes notifications of these entities, then marks the oldest of each as
 * the next to send. An advisory lock per entity serializes concurrent calls.
 */
export async function inTurn(
  db: Queries,
  entities: readonly Pick<Notification, 'fspId' | 'entityId'>[],
  work: () => Promise<void>,
): Promise<void> {
  const keys = [
    textArray(entities.map(({ fspId }) => fspId)),
    textArray(entities.map(({ entityId }) => entityId)),
  ]
  if (entities.length > 0) await db.query(lockTurns, keys)
  await work()
  if (entities.length > 0) await db.query(nextTurns, keys)
}

/**
 * Stores the results of notifications. One call can hold several results of the same notification: rows
 * are inserted before they are updated, and updated in the order of the results.
 */
export async function save(
  db: Queries,
  results: readonly NotificationResult[],
  bodies: Bodies = plainBodies,
): Promise<void> {
  const ended = results.filter((result): result is EndedNotification => result.type === 'ENDED')
  const fresh = results.filter((result) => !result.stored && !isOver(result))
  const changed = results.filter((result) => result.stored && !isOver(result))
  const delivered = ended.filter((end) => end.stored && isOver(end))
  const moving = [...fresh, ...ended.filter(({ stored }) => stored)]
  const entities = moving.map(({ notification }) => notification)
  await inTurn(db, entities, async () => {
    await queryUnlessEmpty(db, insertUndelivered, fresh, (rows) => undeliveredValues(rows, bodies))
    await queryUnlessEmpty(db, updateUndelivered, lastOfEach(changed), changeValues)
    await queryUnlessEmpty(db, removeDelivered, delivered, keyValues)
  })
  await queryUnlessEmpty(db, insertLines, ended, lineValues)
}

/**
 * Delivered, or no longer needed: the failure of a relayed message has been reported to its sender.
 */
function isOver(result: NotificationResult): boolean {
  if (result.type !== 'ENDED') return false
  const { reportRequired, transport } = result.notification.request
  return result.status === 'SUCCESS' || (!reportRequired && transport.type === 'HTTP')
}

/** `update … from` uses an arbitrary one of several matching rows, so only the last is passed. */
function lastOfEach(results: readonly NotificationResult[]): readonly NotificationResult[] {
  return [...new Map(results.map((result) => [result.notification.id, result])).values()]
}

async function queryUnlessEmpty<Row>(
  db: Queries,
  query: ReturnType<typeof statement>,
  rows: readonly Row[],
  values: (rows: readonly Row[]) => readonly Value[],
): Promise<void> {
  if (rows.length > 0) await db.query(query, values(rows))
}

function column<Row>(rows: readonly Row[], value: (row: Row) => string | number | null): Buffer {
  return textArray(
    rows.map((row) => {
      const cell = value(row)
      return typeof cell === 'number' ? String(cell) : cell
    }),
  )
}

function time(time_ms: number): string {
  return new Date(time_ms).toISOString()
}

function keyValues(results: readonly NotificationResult[]): readonly Value[] {
  return [
    column(results, ({ notification }) => notification.id),
    column(results, ({ notification }) => notification.month),
  ]
}

function lineValues(ended: readonly EndedNotification[]): readonly Value[] {
  return [
    ...keyValues(ended),
    column(ended, ({ notification }) => notification.fspId),
    column(ended, ({ notification }) => notification.entityId),
    column(ended, ({ notification }) => notification.request.legRole),
    column(ended, ({ notification }) => notification.request.cause.msgName),
    column(ended, ({ status }) => status),
    column(ended, ({ attempts }) => attempts),
    column(ended, ({ httpStatus }) => httpStatus),
    column(ended, duration_msOf),
    column(ended, ({ error }) => storableError(error)),
    column(ended, ({ ended_ms }) => time(ended_ms)),
    // A single attempt that was never parked: the other columns contain all of it.
    column(ended, ({ stored, tries }) => (stored ? triesText(tries) : null)),
  ]
}

function undeliveredValues(
  results: readonly NotificationResult[],
  bodies: Bodies,
): readonly Value[] {
  return [
    ...keyValues(results),
    column(results, stateOf),
    column(results, ({ notification }) => notification.fspId),
    column(results, ({ notification }) => notification.entityId),
    column(results, ({ notification }) => JSON.stringify(notification.request)),
    byteaArray(
      results.map(({ notification: { body, taken_ms } }) => bodies.seal(body, new Date(taken_ms))),
    ),
    column(results, ({ notification }) => time(notification.deadline_ms)),
    column(results, ({ notification }) => time(notification.taken_ms)),
    column(results, ({ attempts }) => attempts),
    column(results, nextAttemptOf),
    column(results, busyUntilOf),
    column(results, ({ httpStatus }) => httpStatus),
    column(results, ({ error }) => storableError(error)),
    column(results, ({ tries }) => triesText(tries)),
    column(results, ({ notification }) => notification.source),
  ]
}

function changeValues(results: readonly NotificationResult[]): readonly Value[] {
  return [
    ...keyValues(results),
    column(results, stateOf),
    column(results, ({ attempts }) => attempts),
    column(results, nextAttemptOf),
    column(results, busyUntilOf),
    column(results, ({ httpStatus }) => httpStatus),
    column(results, ({ error }) => storableError(error)),
    column(results, ({ tries }) => triesText(tries)),
  ]
}

function triesText(tries: readonly Try[]): string | null {
  return tries.length === 0
    ? null
    : JSON.stringify(tries.map((one) => ({ ...one, error: storableError(one.error) })))
}

/** As `triesText` wrote it. */
export function triesOf(text: string | null): readonly Try[] {
  return text === null ? noTries : (JSON.parse(text) as readonly Try[])
}

function stateOf(result: NotificationResult): string {
  return result.type === 'ENDED' ? 'DEAD' : 'PARKED'
}

function nextAttemptOf(result: EndedNotification | Waits): string {
  return time(result.type === 'ENDED' ? result.ended_ms : result.next_attempt_ms)
}

function busyUntilOf(result: EndedNotification | Waits): string {
  return time(result.type === 'ENDED' ? 0 : result.busy_until_ms)
}
