/**
 * The page docs/settings.md: every setting of every program, from the definitions that the programs
 * read. Run after a build it writes the page; a test fails while the page differs.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { serviceNames } from './deployment.mjs'

const file = new URL('../../../docs/settings.md', import.meta.url)

const intro = `# Settings

Every setting is an environment variable. A program that is given a wrong value, or an unknown name that begins like one of its own, does not start and says which it is. An empty variable means the default.

- \`npm start\` reads the environment, then \`--env-file FILE\`, then \`--set NAME=VALUE\`; \`npm start -- --print-settings\` lists every setting with its value and where the value came from. A service of its own prints the same with \`--print-settings\`.
- The compose file and the chart: [deploy](../deploy/README.md), [helm/causeway](../helm/causeway/README.md).
- **Changes at run time**: operators set another value while the services run, under Configuration in the console or with \`POST /config/schemas/{service}\`; the environment gives the default. Any other setting needs a restart.
- **Required**: there is no default. **Secret**: the value is never printed, and the chart takes it from a Secret.
- **In a file**: \`NAME_FILE\` names a file with the value of the secret \`NAME\`, without a last end of line; the chart mounts such files.
- \`npm run provision\` reads \`PROVISION_DATABASE_URL\`, and of each service whose roles it makes \`<SERVICE>_DATABASE_URL\` (the role that serves) and \`<SERVICE>_MIGRATION_DATABASE_URL\` (the one that owns the tables, if it is another one); \`npm run migrate\` reads both of these; \`npm run provision:kafka\` reads the \`KAFKA_\` settings.

\`npm run docs\` generates this page from the definitions in the code.
`

export function readSettingsPage() {
  return readFileSync(file, 'utf8')
}

/**
 * @param services by service: its own settings
 * @param ofEach what each service reads beside them when it is a process of its own
 * @param hub all settings of the hub in one process
 * @param programs by name of another program: its settings
 */
export function settingsPage({ services, ofEach, hub, programs }) {
  const readers = new Map()
  for (const [service, definitions] of services) {
    for (const name of Object.keys(definitions)) {
      readers.set(name, [...(readers.get(name) ?? []), service])
    }
  }
  const isOwn = ([name]) => readers.get(name)?.length === 1
  const isShared = ([name]) => (readers.get(name)?.length ?? 0) > 1
  const all = Object.assign({}, ...services.values())
  const sections = [
    section(
      'The hub in one process',
      'Only `npm start` reads these; with them it reads those of every service below.',
      only(hub, ([name]) => !readers.has(name)),
    ),
    section(
      'Each service as a process of its own',
      'Every service reads these when services run apart, and `<SERVICE>_GRPC_URL` for each service that it calls.',
      ofEach,
    ),
    section(
      'Shared by several services',
      '',
      only(all, isShared),
      (name) => `Read by ${readers.get(name).join(', ')}.`,
    ),
    ...[...services].map(([service, definitions]) =>
      section(
        service,
        `[services/${service}](../services/${service}/README.md)`,
        only(definitions, isOwn),
      ),
    ),
    ...[...programs].map(([name, { about, settings }]) => section(name, about, settings)),
  ]
  return `${intro}\n${sections.join('\n')}`
}

function only(definitions, isMeant) {
  return Object.fromEntries(Object.entries(definitions).filter(isMeant))
}

function section(title, about, definitions, noteOf = () => '') {
  const rows = Object.keys(definitions)
    .toSorted()
    .map((name) => rowOf(name, definitions[name], noteOf(name)))
  const table = ['| setting | default | values | what it is for |', '|---|---|---|---|', ...rows]
  const paragraphs =
    rows.length === 0 ? [about, 'No settings of its own.'] : [about, table.join('\n')]
  return [`## ${title}`, ...paragraphs.filter((text) => text !== '')].join('\n\n') + '\n'
}

function rowOf(name, definition, note) {
  const notes = [note, definition.atRunTime === true ? 'Changes at run time.' : '']
  const remarks = notes.filter((text) => text !== '').join(' ')
  const about = remarks === '' ? definition.about : `${definition.about}. ${remarks}`
  const cells = [`\`${name}\``, defaultOf(definition), valuesOf(definition), about]
  return `| ${cells.map(escaped).join(' | ')} |`
}

export function escaped(cell) {
  return cell.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;')
}

export function defaultOf({ default: value }) {
  if (value === null) return '**required**'
  return value === '' ? 'empty' : `\`${value}\``
}

function valuesOf({ kind, unit, min, max, options, secret }) {
  switch (kind) {
    case 'integer':
      return `${unit === '' ? 'number' : unit}, ${min} to ${max}`
    case 'choice':
      return options.map((option) => `\`${option}\``).join(', ')
    default:
      return secret ? 'text, **secret**' : 'text'
  }
}

/**
 * The settings of all programs.
 * @param load imports a module of the repository, given as its path below `src/` or `dist/`
 */
export async function loadSettings(load) {
  const services = new Map()
  for (const name of serviceNames) {
    services.set(name, (await load(`services/${name}`, 'settings')).settings)
  }
  const { distributedSettings } = await load('libs/runtime', 'distributed-settings')
  const { settingsOfProcess } = await load('libs/process', 'process')
  const { onboardSettings, operatorGatewaySettings, secretsSettings } = await load(
    'services/hub',
    'distributed/settings',
  )
  const { settings: sandbox } = await load('services/sandbox-fsp', 'settings')
  const { settings: hub } = await load('services/hub', 'settings')
  const programs = new Map([
    [
      'operator-gateway',
      {
        about:
          'The port of operators of a distributed hub: `services/hub/dist/distributed/operator-gateway.js`.',
        settings: operatorGatewaySettings,
      },
    ],
    [
      'secrets',
      {
        about:
          'Makes keys and certificates for the compose file and the chart: `services/hub/dist/distributed/secrets.js`.',
        settings: secretsSettings,
      },
    ],
    [
      'onboard',
      {
        about:
          'Onboards the sandbox FSPs at a distributed hub: `services/hub/dist/distributed/onboard.js`.',
        settings: onboardSettings,
      },
    ],
    [
      'sandbox-fsp',
      { about: '[services/sandbox-fsp](../services/sandbox-fsp/README.md)', settings: sandbox },
    ],
  ])
  return { services, ofEach: { ...distributedSettings, ...settingsOfProcess }, hub, programs }
}

async function main() {
  const load = (folder, name) => import(`../../../${folder}/dist/${name}.js`)
  writeFileSync(file, settingsPage(await loadSettings(load)))
}

if (import.meta.url === `file://${process.argv[1]}`) await main()
