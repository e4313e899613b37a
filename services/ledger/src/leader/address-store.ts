/** The address of the ledger's writer, as its replicas find it. */
import { statement, type Queries } from '@causeway/postgres'

const note = statement(`
  insert into writer (address) values ($1)
  on conflict (is_here) do update set address = excluded.address, since = now()`)

/** Only on the connection that holds the ledger's lock. */
export async function noteWriter(db: Queries, address: string): Promise<void> {
  await db.query(note, [address])
}

const find = statement('select address from writer')

/** The address of the process that last took the lock; it may be gone. */
export async function writerAddress(db: Queries): Promise<string | undefined> {
  const [row] = await db.query<{ address: string }>(find, [])
  return row?.address
}
