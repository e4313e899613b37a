/** Migrates the schema of a service as the role that owns it, which no serving process knows. */
import { migrate, roleIn } from '@causeway/postgres'

export interface MigratedService {
  /** The folder in snake_case. */
  readonly schema: string
  readonly setting: string
  readonly servingSetting: string
  readonly migrations: URL
}

/** The URL itself, or the file that contains it. */
const urlName = /^([A-Z][A-Z0-9_]*)_MIGRATION_DATABASE_URL(?:_FILE)?$/

/** The services that the environment names, in the order of their names. */
export function migrationsOf(
  environment: Readonly<Record<string, string | undefined>>,
): readonly MigratedService[] {
  const prefixes = Object.keys(environment).flatMap((name) => urlName.exec(name)?.[1] ?? [])
  return [...new Set(prefixes)].toSorted().map((prefix) => {
    const folder = prefix.toLowerCase().replaceAll('_', '-')
    return {
      schema: prefix.toLowerCase(),
      setting: `${prefix}_MIGRATION_DATABASE_URL`,
      servingSetting: `${prefix}_DATABASE_URL`,
      migrations: new URL(`../../../../services/${folder}/migrations/`, import.meta.url),
    }
  })
}

/** Throws StartError for an invalid URL. The tables of the event bus belong to the schema as well. */
export async function migrateService(
  { schema, setting, servingSetting, migrations }: MigratedService,
  { url, servingUrl }: { readonly url: string; readonly servingUrl: string },
): Promise<void> {
  const { makeOutbox } = await import('@causeway/bus/kafka')
  roleIn(setting, url)
  const servingRole = roleIn(servingSetting, servingUrl)
  const connection = { url, schema, applicationName: `${schema} migrations` }
  await makeOutbox(connection)
  await migrate({ ...connection, servingRole }, migrations)
}
