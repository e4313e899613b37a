/** The SQL of configurations. */
import { statement, type Queries, type Transaction } from '@causeway/postgres'
import type { Configuration, Definition, SetValues } from './domain/configuration.ts'

interface ConfigurationRow {
  readonly bounded_context_id: string
  readonly schema_version: string
  readonly iteration_number: number
  readonly definition: string
  readonly set_values: string
  readonly changed_at: Date | null
  readonly changed_by: string | null
}

const columns = `bounded_context_id, schema_version, iteration_number, definition, set_values,
  changed_at, changed_by`

function configurationOf(row: ConfigurationRow): Configuration {
  const { changed_at: at, changed_by: by } = row
  return {
    contextId: row.bounded_context_id,
    schemaVersion: row.schema_version,
    iterationNumber: row.iteration_number,
    definition: JSON.parse(row.definition) as Definition,
    setValues: JSON.parse(row.set_values) as SetValues,
    changed: at === null || by === null ? null : { at, by },
  }
}

const list = statement(`select ${columns} from configurations order by bounded_context_id limit $1`)
const find = statement(`select ${columns} from configurations where bounded_context_id = $1`)
const lock = statement(
  `select ${columns} from configurations where bounded_context_id = $1 for update`,
)

export async function configurations(
  db: Queries,
  rows_max: number,
): Promise<readonly Configuration[]> {
  return (await db.query<ConfigurationRow>(list, [rows_max])).map(configurationOf)
}

export async function configurationOfContext(
  db: Queries,
  contextId: string,
): Promise<Configuration | undefined> {
  const [row] = await db.query<ConfigurationRow>(find, [contextId])
  return row && configurationOf(row)
}

export async function lockConfiguration(
  tx: Transaction,
  contextId: string,
): Promise<Configuration | undefined> {
  const [row] = await tx.query<ConfigurationRow>(lock, [contextId])
  return row && configurationOf(row)
}

const lockName = statement(`select pg_advisory_xact_lock(hashtextextended($1, 0))`)

/** Registrations of one context take turns, also the first ones, which have no row to lock. */
export async function lockContext(tx: Transaction, contextId: string): Promise<void> {
  await tx.query(lockName, [`config/${contextId}`])
}

const save = statement(`
  insert into configurations (bounded_context_id, schema_version, iteration_number, definition,
    set_values, changed_at, changed_by)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (bounded_context_id) do update set schema_version = excluded.schema_version,
    iteration_number = excluded.iteration_number, definition = excluded.definition,
    set_values = excluded.set_values, changed_at = excluded.changed_at,
    changed_by = excluded.changed_by`)

export async function saveConfiguration(
  tx: Transaction,
  { contextId, schemaVersion, iterationNumber, definition, setValues, changed }: Configuration,
): Promise<void> {
  await tx.query(save, [
    contextId,
    schemaVersion,
    iterationNumber,
    JSON.stringify(definition),
    JSON.stringify(setValues),
    changed?.at ?? null,
    changed?.by ?? null,
  ])
}
