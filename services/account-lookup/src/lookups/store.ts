/** Failed deliveries of queries that went to several FSPs. */
import { statement, textArray, type Database, type Queries } from '@causeway/postgres'

export interface Undelivered {
  readonly questionId: string
  readonly fspId: string
}

const addStatement = statement(`
  insert into undelivered (question_id, fsp_id, failed_at)
  select question_id, fsp_id, $3::timestamptz
  from unnest($1::text[]::uuid[], $2::text[]) as u (question_id, fsp_id)
  order by question_id, fsp_id
  on conflict (question_id, fsp_id) do nothing`)

const countStatement = statement(`
  select question_id, count(*)::integer as fsps from undelivered
  where question_id = any ($1::text[]::uuid[])
  group by question_id`)

const deleteStatement = statement(`
  delete from undelivered where failed_at < $1::timestamptz`)

/** Adds the failures and returns the number of failed FSPs for each of the queries. */
export async function addUndelivered(
  tx: Queries,
  failures: readonly Undelivered[],
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  const questionIds = textArray(failures.map(({ questionId }) => questionId))
  await tx.query(addStatement, [questionIds, textArray(failures.map(({ fspId }) => fspId)), now])
  const rows = await tx.query<{ question_id: string; fsps: number }>(countStatement, [questionIds])
  return new Map(rows.map(({ question_id: questionId, fsps }) => [questionId, fsps]))
}

export async function deleteUndelivered(db: Pick<Database, 'query'>, before: Date): Promise<void> {
  await db.query(deleteStatement, [before])
}
