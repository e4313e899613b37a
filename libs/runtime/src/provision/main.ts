/**
 * `npm run provision`: creates the role and the schema of every service whose `<SERVICE>_DATABASE_URL` is
 * in the environment, as the administrator of PROVISION_DATABASE_URL, and ends. Where
 * `<SERVICE>_MIGRATION_DATABASE_URL` names another role, that one owns the schema.
 */
import { provisionRole } from '@causeway/postgres'
import { StartError, exitCodes, run, retrying, text } from '@causeway/process'

const administrator = 'PROVISION_DATABASE_URL'
/** The URL itself, or the file that contains it. */
const urlName = /^([A-Z][A-Z0-9_]*)_DATABASE_URL(?:_FILE)?$/
const migrationName = /_MIGRATION_DATABASE_URL$/
const names = [
  ...new Set(
    Object.keys(process.env)
      .filter((name) => urlName.test(name))
      .map((name) => name.replace(/_FILE$/, '')),
  ),
]

const settings = Object.fromEntries(
  [administrator, ...names].map((name) => [
    name,
    text({
      about:
        name === administrator
          ? 'a role that may create databases, roles and schemas'
          : 'role, password and database that the service or its migrations will use',
      default: null,
      secret: true,
    }),
  ]),
)

await run('provision', settings, async (values, log) => {
  const services = names.filter((name) => name !== administrator && !migrationName.test(name))
  if (services.length === 0) {
    throw new StartError(
      'There is nothing to create: set TRANSFERS_DATABASE_URL or that of another service.',
    )
  }
  for (const name of services) {
    const schema = name.replace(urlName, '$1').toLowerCase()
    const migrationUrl = values[name.replace(/_DATABASE_URL$/, '_MIGRATION_DATABASE_URL')]
    const service = { schema, url: values[name] ?? '', migrationUrl }
    const work = () => provisionRole(values[administrator] ?? '', service)
    await retrying(work, { log, what: `creating the role of ${schema}` })
    log.info({ schema }, 'the role and the schema exist')
  }
  return { stop: () => Promise.resolve() }
})
process.exit(exitCodes.stopped)
