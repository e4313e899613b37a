/**
 * The files that list the services of the hub, from the description in libs/services: the facts of
 * the chart, the containers of the compose file, the targets of Prometheus and the databases in the
 * README of the chart. Run after a build it writes them; a test fails while one of them differs.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const root = new URL('../../../', import.meta.url)

/** Folders of files that every service has. */
const filesOfEach = ['grpc', 'component']

/** The private key of each service, in a folder of its own. */
const componentKeyFile = '/etc/causeway/component/private.pem'

/** What a container of the compose file has that no description states. */
const particulars = {
  admin: ['network_mode: service:operator-gateway'],
  'fspiop-api': ["ports: ['127.0.0.1:${PUBLISHED_FSP_PORT:-4000}:4000']"],
}

/** A volume that a service of the compose file writes, and the setting that names its file. */
const volumes = {
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

/**
 * By path: what is in the file, and what should be.
 * @param services by name: the description of a service
 */
export function serviceFiles(services) {
  const all = [...services]
  const databases = all.filter(([, { database }]) => database).map(([name]) => name)
  return new Map(
    [
      ['helm/causeway/services.yaml', () => facts + all.map(factsOf).join('')],
      [
        'helm/causeway/README.md',
        (text) =>
          withParts(text, {
            databases: secretOf('causeway-databases', databases, roleOf),
            'migration databases': secretOf('causeway-migration-databases', databases, ownerOf),
          }),
      ],
      [
        'deploy/prometheus/prometheus.yml',
        (text) => withParts(text, { targets: lines(all, ([name]) => `          - ${name}`) }),
      ],
      ['deploy/compose.yml', (text) => withParts(text, composeParts(all, databases))],
    ].map(([path, write]) => {
      const text = readFileSync(new URL(path, root), 'utf8')
      return [path, { text, wanted: write(text) }]
    }),
  )
}

/** Replaces the lines between one with `generated: NAME` and one with `end of NAME`. */
function withParts(text, parts) {
  return Object.entries(parts).reduce((before, [name, part]) => {
    const [first, last] = [`generated: ${name}`, `end of ${name}`].map((mark) => {
      const place = before.indexOf(mark)
      if (place === -1) throw new Error(`no line has the mark '${mark}'`)
      return place
    })
    const head = before.slice(0, before.indexOf('\n', first) + 1)
    return head + part + before.slice(before.lastIndexOf('\n', last) + 1)
  }, text)
}

function lines(all, lineOf) {
  return all.map((each) => `${lineOf(each)}\n`).join('')
}

function factsOf([name, { calls, callsItself, database, files = [], secrets, outside, ports }]) {
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

function pairsOf(values) {
  return Object.entries(values).map(([name, value]) =>
    Array.isArray(value) ? `  ${name}: [${value.join(', ')}]` : `  ${name}: ${value}`,
  )
}

/** As the formatter has it: one line of at most 100 columns, else a line for each. */
function listOf(name, values, indent) {
  const line = `${name}: [${values.join(', ')}]`
  if (indent.length + line.length <= 100) return line
  return [`${name}:`, ...values.map((value) => `${indent}  - ${value}`)].join('\n')
}

/** @param role the name of the role of a service */
function secretOf(secret, databases, role) {
  const literals = databases.map(
    (name) =>
      `  --from-literal='${name}=postgres://${role(name)}:PASSWORD@postgres.example/causeway?sslmode=verify-full'`,
  )
  const command = `kubectl --namespace causeway create secret generic ${secret}`
  return `\n\`\`\`sh\n${[command, ...literals].join(' \\\n')}\n\`\`\`\n\n`
}

function composeParts(all, databases) {
  return {
    'secrets of services': lines(all, ([name]) => `      - secrets-${name}:/secrets/${name}`),
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
    services: `\n${all.map(containerOf).join('\n')}\n`,
    'healthy services': lines(all, ([name]) => `      ${name}: { condition: service_healthy }`),
    volumes: lines(all, ([name]) => `  secrets-${name}:`),
  }
}

function containerOf([name, { calls, database, secrets = {}, outside }]) {
  const program = `services/${name}/dist/main.js`
  const sealed = Object.values(secrets).map(([folder]) => `--env-file=/etc/causeway/${folder}/env`)
  const environment = [
    ...(database ? [`${databaseUrlOf(name)}: *${name}-database`] : []),
    `${prefixOf(name)}_COMPONENT_KEY_FILE: ${componentKeyFile}`,
    ...calls.map((called) => `${prefixOf(called)}_GRPC_URL: ${called}:4200`),
    ...(name in volumes ? [volumes[name].setting] : []),
    // One program brings in the sandbox FSPs, without a second person.
    ...(name === 'admin' ? ['FOUR_EYES: optional', 'ACCEPT_RELAXATIONS: FOUR_EYES=optional'] : []),
    // The sandbox FSPs have private addresses.
    ...(outside === 'registered' ? ['EGRESS_ALLOWED: ${EGRESS_ALLOWED:-sandbox-fsp}'] : []),
  ]
  const mounts = [`secrets-${name}:/etc/causeway:ro`, volumes[name]?.mount].filter(Boolean)
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

function composeUrl(role) {
  return `postgres://${role}:\${POSTGRES_PASSWORD:-causeway}@postgres/causeway`
}

function migrationUrlOf(name) {
  return `${prefixOf(name)}_MIGRATION_DATABASE_URL`
}

/** The role that owns the tables of a service and migrates them. */
function ownerOf(name) {
  return `${roleOf(name)}_owner`
}

function databaseUrlOf(name) {
  return `${prefixOf(name)}_DATABASE_URL`
}

function prefixOf(name) {
  return name.toUpperCase().replaceAll('-', '_')
}

function roleOf(name) {
  return name.replaceAll('-', '_')
}

async function main() {
  const { descriptionOf, serviceNames } = await import('../../services/dist/index.js')
  const services = new Map(serviceNames.map((name) => [name, descriptionOf(name)]))
  for (const [path, { text, wanted }] of serviceFiles(services)) {
    if (text !== wanted) writeFileSync(new URL(path, root), wanted)
  }
}

if (import.meta.url === `file://${process.argv[1]}`) await main()
