/** The SQL of the export. */
import { statement, type Queries, type Transaction } from '@causeway/postgres'

const lockPosition = statement(`select n from exported for update skip locked`)

/** The number of the last entry that was copied; undefined: another replica copies now. */
export async function takePosition(tx: Transaction): Promise<bigint | undefined> {
  const [row] = await tx.query<{ readonly n: string }>(lockPosition, [])
  return row === undefined ? undefined : BigInt(row.n)
}

const setPosition = statement(`update exported set n = $1::text::bigint`)

export async function movePosition(tx: Transaction, n: bigint): Promise<void> {
  await tx.query(setPosition, [String(n)])
}

const countBehind = statement(`
  select (select n from head) - (select n from exported) as behind`)

export async function entriesBehind(db: Queries): Promise<number> {
  const [row] = await db.query<{ readonly behind: string }>(countBehind, [])
  return Number(row?.behind ?? 0)
}
