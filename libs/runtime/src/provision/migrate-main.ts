/**
 * The program `migrate`: brings the schema of each service whose `<SERVICE>_MIGRATION_DATABASE_URL` is in the
 * environment to this release, as the role that owns it, gives the role of `<SERVICE>_DATABASE_URL` its
 * rights, and ends. It may be run again at any time; services of the previous release go on.
 */
import { exitCodes, retrying, run, StartError, text } from '@causeway/process'
import { migratedServices, migrateService } from './migrate.ts'

const services = migratedServices(process.env)

const settings = Object.fromEntries(
  services.flatMap(({ setting, servingSetting }) => [
    [setting, text({ about: 'role that owns the schema', default: null, secret: true })],
    [servingSetting, text({ about: 'role that the service uses', default: null, secret: true })],
  ]),
)

await run('migrate', settings, async (values, log) => {
  if (services.length === 0) {
    throw new StartError(
      'There is nothing to migrate: set TRANSFERS_MIGRATION_DATABASE_URL or that of another service.',
    )
  }
  for (const service of services) {
    const { setting, servingSetting } = service
    const urls = { url: values[setting] ?? '', servingUrl: values[servingSetting] ?? '' }
    const work = () => migrateService(service, urls)
    await retrying(work, { log, what: `waiting for the database of ${service.name}` })
    log.info({ service: service.name }, 'the schema is that of this release')
  }
  return { stop: () => Promise.resolve() }
})
process.exit(exitCodes.stopped)
