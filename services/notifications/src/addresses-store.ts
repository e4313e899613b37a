/** The SQL of what FSPs have said of their addresses. */
import { statement, textArray, type Queries } from '@causeway/runtime'
import type { Endpoints } from './domain/address.ts'

export interface Said {
  readonly fspId: string
  readonly version: number
  readonly endpoints: readonly { readonly type: string; readonly value: string }[]
}

const saveNewer = statement(`
  insert into addresses (fsp_id, version, endpoints)
  select * from unnest($1::text[], $2::text[]::int[], $3::text[]::json[])
  on conflict (fsp_id) do update set version = excluded.version, endpoints = excluded.endpoints
  where addresses.version < excluded.version`)

/** Of each FSP the newest counts, in whatever order they come. */
export async function saveAddresses(db: Queries, said: readonly Said[]): Promise<void> {
  const newest = new Map<string, Said>()
  for (const one of said) {
    if (one.version > (newest.get(one.fspId)?.version ?? 0)) newest.set(one.fspId, one)
  }
  const rows = [...newest.values()].toSorted((a, b) => (a.fspId < b.fspId ? -1 : 1))
  await db.query(saveNewer, [
    textArray(rows.map(({ fspId }) => fspId)),
    textArray(rows.map(({ version }) => String(version))),
    textArray(rows.map(({ endpoints }) => JSON.stringify(endpoints))),
  ])
}

const selectAddresses = statement(
  'select fsp_id, endpoints from addresses where fsp_id = any($1::text[])',
)

/** Values by endpoint type, of those FSPs that have changed them. */
export async function readAddresses(
  db: Queries,
  fspIds: readonly string[],
): Promise<ReadonlyMap<string, Endpoints>> {
  const rows = await db.query<{
    readonly fsp_id: string
    readonly endpoints: Said['endpoints']
  }>(selectAddresses, [textArray(fspIds)])
  return new Map(
    rows.map(({ fsp_id, endpoints }) => [
      fsp_id,
      new Map(endpoints.map(({ type, value }) => [type, value])),
    ]),
  )
}
