/** Migrates the schema of a service as the role that owns it, which no serving process knows. */
import { migrate, roleIn } from '@causeway/postgres'
import { hasDatabase, serviceNames, settingPrefix, type ServiceName } from '@causeway/services'
import { schemaOf } from '../schema.ts'

export interface MigratedService {
  readonly name: ServiceName
  readonly setting: string
  readonly servingSetting: string
}

/** The services that the environment names, by the URL itself or the file that contains it. */
export function migratedServices(
  environment: Readonly<Record<string, string | undefined>>,
): readonly MigratedService[] {
  return serviceNames.filter(hasDatabase).flatMap((name) => {
    const servingSetting = `${settingPrefix(name)}_DATABASE_URL`
    const setting = `${settingPrefix(name)}_MIGRATION_DATABASE_URL`
    const isNamed = setting in environment || `${setting}_FILE` in environment
    return isNamed ? [{ name, setting, servingSetting }] : []
  })
}

/** Throws StartError for an invalid URL. The tables of the event bus belong to the schema as well. */
export async function migrateService(
  { name, setting, servingSetting }: MigratedService,
  { url, servingUrl }: { readonly url: string; readonly servingUrl: string },
): Promise<void> {
  const { makeOutbox } = await import('@causeway/bus/kafka')
  roleIn(setting, url)
  const servingRole = roleIn(servingSetting, servingUrl)
  const { schema, ...folders } = schemaOf(name)
  const connection = { url, schema, applicationName: `${schema} migrations` }
  await makeOutbox(connection)
  await migrate({ ...connection, servingRole }, folders)
}
