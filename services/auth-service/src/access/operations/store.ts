/** How the runs of approved operations ended. */
import { statement, type Queries } from '@causeway/postgres'

const insert = statement(`
  insert into operation_outcomes (request_id, status)
  select request_id, $2::integer from approvals
  where request_id = $1 and kind = 'Operation' and state = 'APPROVED' and decided_by = $3
  on conflict do nothing`)

/**
 * Once, and only of an approved request.
 *
 * @param status of HTTP
 * @param by who has approved it
 */
export async function saveOperationOutcome(
  db: Queries,
  id: string,
  status: number,
  by: string,
): Promise<void> {
  await db.query(insert, [id, status, by])
}

const select = statement(`select status from operation_outcomes where request_id = $1`)

/** A status of HTTP; undefined: it did not run, or its end is not known. */
export async function operationOutcome(db: Queries, id: string): Promise<number | undefined> {
  return (await db.query<{ readonly status: number }>(select, [id]))[0]?.status
}
