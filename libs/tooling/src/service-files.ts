/**
 * The files that list the services of the hub, from the description in libs/services: the facts of
 * the chart, the containers of the compose file, the targets of Prometheus and the databases in the
 * README of the chart. `npm run docs` writes them; a test fails while one of them differs.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { grpcUrlName } from '@causeway/runtime'
import {
  descriptionOf,
  hasDatabase,
  serviceNames,
  settingPrefix,
  type ServiceName,
} from '@causeway/services'

const root = new URL('../../../', import.meta.url)

/** Folders of files that every service has. */
const filesOfEach = ['grpc', 'component']

/** The private key of each service, in a folder of its own. */
const componentKeyFile = '/etc/causeway/component/private.pem'

/** What a container of the compose file has that no description states. */
const particulars: Readonly<Record<string, readonly string[]>> = {
  admin: ['network_mode: service:operator-gateway'],
  'fspiop-api': ["ports: ['127.0.0.1:${PUBLISHED_FSP_PORT:-4000}:4000']"],
}

/** A volume that a service of the compose file writes, and the setting that names its file. */
const volumes: Readonly<Record<string, { readonly mount: string; readonly setting: string }>> = {
  audit: {
    mount: 'anchors:/var/lib/causeway/anchors',
    setting: 'AUDIT_ANCHOR_FILE: /var/lib/causeway/anchors/anchors.jsonl',
  },
}

const facts = `# The services: facts of the code, not choices of an installation. \`npm run docs\` writes this file
# from libs/services/src/descriptions.ts; the templates of the chart read it.
#
# calls:     whose gRPC server it calls: its network policy, and its <SERVICE>_GRPC_URL
# database:  it has a schema of its own, at <SERVICE>_DATABASE_URL
# files:     folders below /etc/causeway, each from a Secret of its own
# secrets:   settings whose values come from a Secret: NAME: [secret, key]
# outside:   it connects to addresses outside the cluster: registered ones, or those that settings name
# ports:     beside 4200 (gRPC) and 4190 (health and metrics)
`

/** The text of a file as it should be, from the text in it. */
type Rewrite = (text: string) => string

interface ServiceFile {
  readonly text: string
  readonly wanted: string
}

/** By path: what is in the file, and what should be. Throws for a file without the marks of its parts. */
export function serviceFiles(): ReadonlyMap<string, ServiceFile> {
  const databases = serviceNames.filter(hasDatabase)
  const rewrites: Readonly<Record<string, Rewrite>> = {
    'helm/causeway/services.yaml': () => facts + serviceNames.map(factsOf).join(''),
    'helm/causeway/README.md': (text) =>
      withParts(text, {
        databases: secretOf('causeway-databases', databases, roleOf),
        'migration databases': secretOf('causeway-migration-databases', databases, ownerOf),
      }),
    'deploy/prometheus/prometheus.yml': (text) =>
      withParts(text, { targets: lines(serviceNames, (name) => `          - ${name}`) }),
    'deploy/compose.yml': (text) => withParts(text, composeParts(databases)),
  }
  return new Map(
    Object.entries(rewrites).map(([path, rewrite]) => {
      const text = readFileSync(new URL(path, root), 'utf8')
      return [path, { text, wanted: rewrite(text) }]
    }),
  )
}

/** Replaces the lines between one with `generated: NAME` and one with `end of NAME`. */
function withParts(text: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((before, [name, part]) => {
    const placeOf = (mark: string) => {
      const place = before.indexOf(mark)
      if (place === -1) throw new Error(`no line has the mark '${mark}'`)
      return place
    }
    const head = before.slice(0, before.indexOf('\n', placeOf(`generated: ${name}`)) + 1)
    return head + part + before.slice(before.lastIndexOf('\n', placeOf(`end of ${name}`)) + 1)
  }, text)
}

function lines<Item>(all: readonly Item[], lineOf: (item: Item) => string): string {
  return all.map((each) => `${lineOf(each)}\n`).join('')
}

function factsOf(name: ServiceName): string {
  const { calls, callsItself, database, files = [], secrets, outside, ports } = descriptionOf(name)
  const whole =
    callsItself === true ? [...calls, name].toSorted((one, other) => (one < other ? -1 : 1)) : calls
  const entries = [
    listOf('calls', whole, '  '),
    `database: ${database}`,
    listOf('files', [...filesOfEach, ...files], '  '),
    ...(secrets === undefined ? [] : ['secrets:', ...pairsOf(secrets)]),
    ...(outside === undefined ? [] : [`outside: ${outside}`]),
    ...(ports === undefined ? [] : ['ports:', ...pairsOf(ports)]),
  ]
  return `${name}:\n${lines(entries, (entry) => `  ${entry}`)}`
}

function pairsOf(values: Readonly<Record<string, number | readonly string[]>>): readonly string[] {
  return Object.entries(values).map(([name, value]) =>
    typeof value === 'number' ? `  ${name}: ${value}` : `  ${name}: [${value.join(', ')}]`,
  )
}

/** As the formatter has it: one line of at most 100 columns, else a line for each. */
function listOf(name: string, values: readonly string[], indent: string): string {
  const line = `${name}: [${values.join(', ')}]`
  if (indent.length + line.length <= 100) return line
  return [`${name}:`, ...values.map((value) => `${indent}  - ${value}`)].join('\n')
}

/** @param role the name of the role of a service */
function secretOf(
  secret: string,
  databases: readonly ServiceName[],
  role: (name: ServiceName) => string,
): string {
  const literals = databases.map(
    (name) =>
      `  --from-literal='${name}=postgres://${role(name)}:PASSWORD@postgres.example/causeway?sslmode=verify-full'`,
  )
  const command = `kubectl --namespace causeway create secret generic ${secret}`
  return `\n\`\`\`sh\n${[command, ...literals].join(' \\\n')}\n\`\`\`\n\n`
}

function composeParts(databases: readonly ServiceName[]): Readonly<Record<string, string>> {
  return {
    'secrets of services': lines(
      serviceNames,
      (name) => `      - secrets-${name}:/secrets/${name}`,
    ),
    databases: lines(databases, (name) =>
      [
        `      ${databaseUrlOf(name)}: &${name}-database ${composeUrl(roleOf(name))}`,
        `      ${migrationUrlOf(name)}: &${name}-migration ${composeUrl(ownerOf(name))}`,
      ].join('\n'),
    ),
    migrations: lines(databases, (name) =>
      [
        `      ${databaseUrlOf(name)}: *${name}-database`,
        `      ${migrationUrlOf(name)}: *${name}-migration`,
      ].join('\n'),
    ),
    services: `\n${serviceNames.map(containerOf).join('\n')}\n`,
    'healthy services': lines(
      serviceNames,
      (name) => `      ${name}: { condition: service_healthy }`,
    ),
    volumes: lines(serviceNames, (name) => `  secrets-${name}:`),
  }
}

function containerOf(name: ServiceName): string {
  const { calls, database, secrets = {}, outside } = descriptionOf(name)
  const volume = volumes[name]
  const program = `services/${name}/dist/main.js`
  const sealed = Object.values(secrets).map(([folder]) => `--env-file=/etc/causeway/${folder}/env`)
  const environment = [
    ...(database ? [`${databaseUrlOf(name)}: *${name}-database`] : []),
    `${settingPrefix(name)}_COMPONENT_KEY_FILE: ${componentKeyFile}`,
    ...calls.map((called) => `${grpcUrlName(called)}: ${called}:4200`),
    ...(volume === undefined ? [] : [volume.setting]),
    // One program brings in the sandbox FSPs, without a second person.
    ...(name === 'admin' ? ['FOUR_EYES: optional', 'ACCEPT_RELAXATIONS: FOUR_EYES=optional'] : []),
    // The sandbox FSPs have private addresses.
    ...(outside === 'registered' ? ['EGRESS_ALLOWED: ${EGRESS_ALLOWED:-sandbox-fsp}'] : []),
  ]
  const own = volume === undefined ? [] : [volume.mount]
  const mounts = [`secrets-${name}:/etc/causeway:ro`, ...own]
  const files = ['common', name]
    .map((each) => `helm/causeway/env/${each}.env`)
    .filter((path) => existsSync(new URL(path, root)))
    .map((path) => `../${path}`)
  const entries = [
    '<<: *service',
    listOf('command', [...sealed, program], '    '),
    listOf('env_file', files, '    '),
    'environment:',
    ...['<<: *settings', ...environment].map((entry) => `  ${entry}`),
    `volumes: [${mounts.map((mount) => `'${mount}'`).join(', ')}]`,
    ...(particulars[name] ?? []),
  ]
  return `  ${name}:\n${lines(entries, (entry) => `    ${entry}`)}`
}

function composeUrl(role: string): string {
  return `postgres://${role}:\${POSTGRES_PASSWORD:-causeway}@postgres/causeway`
}

function migrationUrlOf(name: ServiceName): string {
  return `${settingPrefix(name)}_MIGRATION_DATABASE_URL`
}

/** The role that owns the tables of a service and migrates them. */
function ownerOf(name: ServiceName): string {
  return `${roleOf(name)}_owner`
}

function databaseUrlOf(name: ServiceName): string {
  return `${settingPrefix(name)}_DATABASE_URL`
}

function roleOf(name: ServiceName): string {
  return name.replaceAll('-', '_')
}

export function writeServiceFiles(): void {
  for (const [path, { text, wanted }] of serviceFiles()) {
    if (text !== wanted) writeFileSync(new URL(path, root), wanted)
  }
}
