/**
 * The page docs/settings.md: every setting of every program, from the definitions that the programs
 * read. `npm run docs` writes the page; a test fails while the page differs.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import {
  onboardSettings,
  operatorGatewaySettings,
  secretsSettings,
} from '@causeway/hub/distributed/settings'
import { settingsOfService, settings as ofHub } from '@causeway/hub/settings'
import {
  settingsOfProcess,
  type SettingDefinition,
  type SettingDefinitions,
} from '@causeway/process'
import { distributedSettings } from '@causeway/runtime'
import { settings as ofSandboxFsp } from '@causeway/sandbox-fsp'
import { serviceNames } from '@causeway/services'

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

export function readSettingsPage(): string {
  return readFileSync(file, 'utf8')
}

/** By service: its own settings. */
const ofServices = serviceNames.map((name) => [name, settingsOfService(name)] as const)

/** Those that each service reads beside its own when it is a process of its own. */
const ofEach = { ...distributedSettings, ...settingsOfProcess }

/** The settings of the hub, in one process and apart, by name. */
export const hubSettings: SettingDefinitions = Object.fromEntries(
  [ofHub, ofEach, ...ofServices.map(([, definitions]) => definitions)].flatMap((definitions) =>
    Object.entries<SettingDefinition>(definitions),
  ),
)

/** The programs beside the services. */
const programs = [
  {
    name: 'operator-gateway',
    about:
      'The port of operators of a distributed hub: `services/hub/dist/distributed/operator-gateway.js`.',
    settings: operatorGatewaySettings,
  },
  {
    name: 'secrets',
    about:
      'Makes keys and certificates for the compose file and the chart: `services/hub/dist/distributed/secrets.js`.',
    settings: secretsSettings,
  },
  {
    name: 'onboard',
    about:
      'Onboards the sandbox FSPs at a distributed hub: `services/hub/dist/distributed/onboard.js`.',
    settings: onboardSettings,
  },
  {
    name: 'sandbox-fsp',
    about: '[services/sandbox-fsp](../services/sandbox-fsp/README.md)',
    settings: ofSandboxFsp,
  },
]

export function settingsPage(): string {
  const readersOf = (name: string) =>
    ofServices.flatMap(([service, all]) => (Object.hasOwn(all, name) ? [service] : []))
  const sections = [
    section(
      'The hub in one process',
      'Only `npm start` reads these; with them it reads those of every service below.',
      only(ofHub, (name) => readersOf(name).length === 0),
    ),
    section(
      'Each service as a process of its own',
      'Every service reads these when services run apart, and `<SERVICE>_GRPC_URL` for each service that it calls.',
      ofEach,
    ),
    section(
      'Shared by several services',
      '',
      only(hubSettings, (name) => readersOf(name).length > 1),
      (name) => `Read by ${readersOf(name).join(', ')}.`,
    ),
    ...ofServices.map(([service, definitions]) =>
      section(
        service,
        `[services/${service}](../services/${service}/README.md)`,
        only(definitions, (name) => readersOf(name).length === 1),
      ),
    ),
    ...programs.map(({ name, about, settings }) => section(name, about, settings)),
  ]
  return `${intro}\n${sections.join('\n')}`
}

function only(
  definitions: SettingDefinitions,
  isMeant: (name: string) => boolean,
): SettingDefinitions {
  return Object.fromEntries(Object.entries(definitions).filter(([name]) => isMeant(name)))
}

function section(
  title: string,
  about: string,
  definitions: SettingDefinitions,
  noteOf: (name: string) => string = () => '',
): string {
  const rows = Object.entries(definitions)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, definition]) => rowOf(name, definition, noteOf(name)))
  const table = ['| setting | default | values | what it is for |', '|---|---|---|---|', ...rows]
  const paragraphs =
    rows.length === 0 ? [about, 'No settings of its own.'] : [about, table.join('\n')]
  return [`## ${title}`, ...paragraphs.filter((text) => text !== '')].join('\n\n') + '\n'
}

function rowOf(name: string, definition: SettingDefinition, note: string): string {
  const notes = [note, definition.atRunTime === true ? 'Changes at run time.' : '']
  const remarks = notes.filter((text) => text !== '').join(' ')
  const about = remarks === '' ? definition.about : `${definition.about}. ${remarks}`
  const cells = [`\`${name}\``, defaultOf(definition), valuesOf(definition), about]
  return `| ${cells.map(escaped).join(' | ')} |`
}

export function escaped(cell: string): string {
  return cell.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;')
}

export function defaultOf({ default: value }: SettingDefinition): string {
  if (value === null) return '**required**'
  return value === '' ? 'empty' : `\`${value}\``
}

function valuesOf(definition: SettingDefinition): string {
  switch (definition.kind) {
    case 'integer': {
      const { unit, min, max } = definition
      return `${unit === '' ? 'number' : unit}, ${min} to ${max}`
    }
    case 'choice':
      return definition.options.map((option) => `\`${option}\``).join(', ')
    case 'text':
      return definition.secret ? 'text, **secret**' : 'text'
  }
}

export function writeSettingsPage(): void {
  writeFileSync(file, settingsPage())
}
