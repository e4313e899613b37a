/** Where the tables of a service are, and the migrations that make them, from the description in libs/services. */
import type { DatabaseOptions } from '@causeway/postgres'
import { descriptionOf, type ServiceName } from '@causeway/services'

export function schemaOf(
  service: ServiceName,
): Pick<DatabaseOptions, 'schema' | 'migrations' | 'hosted'> {
  const hosts = descriptionOf(service).hosts ?? []
  return {
    schema: service.replaceAll('-', '_'),
    migrations: migrationsIn(`services/${service}`),
    hosted: Object.fromEntries(
      hosts.map((folder) => [folder.slice(folder.indexOf('/') + 1), migrationsIn(folder)]),
    ),
  }
}

function migrationsIn(folder: string): URL {
  return new URL(`../../../${folder}/migrations/`, import.meta.url)
}
