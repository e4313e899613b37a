/** Who writes the ledger, as its replicas know it. */
import { statement, type Queries } from '@causeway/runtime'

const note = statement(`
  insert into writer (address) values ($1)
  on conflict (is_here) do update set address = excluded.address, since = now()`)

/** Only on the connection that holds the ledger's lock. */
export async function noteWriter(db: Queries, address: string): Promise<void> {
  await db.query(note, [address])
}

const find = statement('select address from writer')

/** Where the process is reached that took the lock last; it may be gone by now. */
export async function writerAddress(db: Queries): Promise<string | undefined> {
  const [row] = await db.query<{ address: string }>(find, [])
  return row?.address
}
