/** The SQL of scheduled verifications. */
import { statement, textArray, type Queries } from '@causeway/postgres'

export interface VerificationRequest {
  readonly eventId: string
  readonly askedAt: Date
}

const insertAsked = statement(`
  insert into verifications (event_id, asked_at) values ($1, $2) on conflict do nothing`)

export async function askVerification(
  db: Queries,
  { eventId, askedAt }: VerificationRequest,
): Promise<void> {
  await db.query(insertAsked, [eventId, askedAt])
}

const selectUnfinished = statement(`
  select event_id as "eventId", asked_at as "askedAt" from verifications
  where finished_at is null order by asked_at desc limit 1`)

/** The newest one that is not finished. */
export async function unfinished(db: Queries): Promise<VerificationRequest | undefined> {
  const [row] = await db.query<VerificationRequest>(selectUnfinished, [])
  return row
}

/** With those that were asked for before and never begun: the newest stands for all of them. */
const finishAsked = statement(`
  update verifications set finished_at = $2, checked = $3::text::bigint, faults = $4::text[]
  where finished_at is null and asked_at <= $1
  returning 1`)

/** False: another replica has finished it. */
export async function finishVerification(
  db: Queries,
  { askedAt }: VerificationRequest,
  now: Date,
  { checked, faults }: { readonly checked: bigint; readonly faults: readonly string[] },
): Promise<boolean> {
  const values = [askedAt, now, String(checked), textArray(faults)]
  return (await db.query(finishAsked, values)).length > 0
}

const selectNewest = statement(`
  select finished_at as "finishedAt", cardinality(faults) as faults from verifications
  where finished_at is not null order by asked_at desc limit 1`)

export interface Finished {
  readonly finishedAt: Date
  readonly faults: number
}

export async function newestVerification(db: Queries): Promise<Finished | undefined> {
  const [row] = await db.query<Finished>(selectNewest, [])
  return row
}
