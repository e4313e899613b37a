/**
 * Which settings the compose file and the chart give to which process, and from where. Reads their
 * files as they are; a chart is not rendered for it, so that no Helm is needed.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { parse } from 'yaml'

const root = new URL('../../../', import.meta.url)
const chart = new URL('helm/causeway/', root)
const text = (path, base = root) => readFileSync(new URL(path, base), 'utf8')
const yaml = (path, base) => parse(text(path, base), { merge: true })

/** Facts of the services that the chart is made from. */
export const facts = yaml('services.yaml', chart)

export const serviceNames = Object.keys(facts)

export function settingPrefix(service) {
  return service.toUpperCase().replaceAll('-', '_')
}

function envFile(name) {
  return parseEnv(text(`env/${name}.env`, chart))
}

/** By container: the program, and every setting that it is given. */
export function composeProcesses() {
  const compose = yaml('deploy/compose.yml')
  const folder = new URL('deploy/', root)
  const processes = Object.entries(compose.services).filter(
    ([, { command }]) => command?.at(-1).endsWith('.js') === true,
  )
  return new Map(
    processes.map(([name, { command, env_file = [], environment = {} }]) => {
      const files = env_file.map((path) => parseEnv(text(path, folder)))
      // A file that is made at the first start; its name tells its content.
      const made = command.some((word) => word.endsWith('/seal/env'))
        ? { [`${settingPrefix(name)}_SECRETS_KEY`]: 'made' }
        : {}
      const settings = Object.assign({}, ...files, environment, made)
      return [name, { program: command.at(-1), settings }]
    }),
  )
}

/** The same of the chart with its default values, the databases and other Secrets included. */
export function chartProcesses() {
  const values = yaml('values.yaml', chart)
  const hub = { HUB_NAME: values.settings.HUB_NAME }
  const services = serviceNames.map((name) => {
    const { calls, database, secrets = {} } = facts[name]
    const addresses = calls
      .filter((called) => called !== name)
      .map((called) => [`${settingPrefix(called)}_GRPC_URL`, `${called}:4200`])
    const settings = {
      ...envFile('common'),
      ...envFileIfAny(name),
      ...Object.fromEntries(addresses),
      [`${settingPrefix(name)}_COMPONENT_KEY_FILE`]: '/etc/causeway/component/private.pem',
      ...values.settings,
      ...values.defaults.settings,
      ...values.services[name]?.settings,
      ...(database ? { [`${settingPrefix(name)}_DATABASE_URL`]: 'of a Secret' } : {}),
      ...Object.fromEntries(Object.keys(secrets).map((setting) => [setting, 'of a Secret'])),
    }
    return [name, { program: `services/${name}/dist/main.js`, settings }]
  })
  const others = [
    ['operator-gateway', 'services/hub/dist/distributed/operator-gateway.js'],
    ['sandbox-fsp', 'services/sandbox-fsp/dist/main.js'],
    ['onboard', 'services/hub/dist/distributed/onboard.js'],
  ].map(([name, program]) => [name, { program, settings: { ...envFile(name), ...hub } }])
  return new Map([...services, ...others])
}

function envFileIfAny(name) {
  try {
    return envFile(name)
  } catch {
    return {}
  }
}

/** Names of settings that a template of the chart gives to every service under some condition. */
export function namesInTemplates() {
  const template = text('templates/deployments.yaml', chart)
  const named = [...template.matchAll(/(?:- name: |"name" ")([A-Z][A-Z0-9_]+)\b/g)]
  return [...named.map(([, name]) => name), ...Object.keys(envFile('kafka-tls'))]
}

/**
 * What the chart's template of the sandbox mounts and opens, read from its text: it is rendered by Helm alone.
 * Ports by name; `policies` are the ports of each rule that allows access to the sandbox.
 */
export function sandboxTemplate() {
  const sandbox = text('templates/sandbox.yaml', chart)
  const [, folders = ''] = /\$folders := list ([^}]*?) ?}}/.exec(sandbox) ?? []
  const [, service = ''] = /range \$port, \$number := dict ([^}]*?) }}/.exec(sandbox) ?? []
  const named = (found) => Object.fromEntries([...found].map(([, name, port]) => [name, +port]))
  const [fromNotifications, fromOnboarding] = portLists(sandbox)
  const [toSandbox] = portLists(
    text('templates/network-policies.yaml', chart).split('(eq $name "notifications")')[1] ?? '',
  )
  return {
    folders: [...folders.matchAll(/"([^"]+)"/g)].map(([, name]) => name),
    containerPorts: named(sandbox.matchAll(/name: ([a-z-]+), containerPort: (\d+)/g)),
    servicePorts: named(service.matchAll(/"([a-z-]+)" (\d+)/g)),
    policies: { fromNotifications, fromOnboarding, toSandbox },
  }
}

/** Of each line `ports: [{ port: 1, … }, …]` the numbers. */
function portLists(template) {
  return [...template.matchAll(/ports: \[(\{ port: .*)\]/g)].map(([, list]) =>
    [...list.matchAll(/port: (\d+)/g)].map(([, port]) => +port),
  )
}

/** What the chart's init container runs and where, and which settings it gets, read from the template's text. */
export function migrationsOfChart() {
  const template = text('templates/deployments.yaml', chart)
  const [before, after = ''] = template.split('initContainers:')
  const [container] = after.split(/^ {6}containers:/m)
  const [, listed = ''] = /\$migration := list([^}]*)\}\}/.exec(template) ?? []
  return {
    program: /args: \[([^\]]+)\]/.exec(container)?.[1],
    condition: /\{\{- if (\S+) \}\}\s*$/.exec(before)?.[1],
    settings: [...listed.matchAll(/printf "([^"]*URL)"/g)].map(([, name]) => name),
    isGivenThem: container.includes('include "causeway.secretFiles" $migration'),
  }
}

/** Files that a setting names, as they are in a container. */
export function filesNamed(settings) {
  return Object.entries(settings)
    .filter(([name]) => name.endsWith('_FILE'))
    .map(([, path]) => path)
}

const ofTheHub = new RegExp(
  `\\b(?:${['bus', 'certificate', 'insecure', 'nodejs', 'process', 'security', ...serviceNames.map((name) => name.replaceAll('-', '_'))].join('|')})_[a-z0-9_]+`,
  'g',
)

/** Names of metrics in the dashboards and alarms, a histogram's by its own name. */
export function metricsAskedFor() {
  const boards = readdirSync(new URL('deploy/dashboards/', root)).map((name) =>
    JSON.parse(text(`deploy/dashboards/${name}`)),
  )
  const asked = boards.flatMap(({ panels }) =>
    panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  )
  const alarms = yaml('deploy/prometheus/alarms.yml').groups.flatMap(({ rules }) =>
    rules.map(({ expr }) => expr),
  )
  const names = [...asked, ...alarms].flatMap((expr) => expr.match(ofTheHub) ?? [])
  return [...new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))]
}

/** Every text of the sources that could be the name of a metric. */
export function namesInSources() {
  const sources = ['libs/', 'services/'].flatMap((folder) =>
    readdirSync(new URL(folder, root))
      .map((name) => `${folder}${name}/src/`)
      .filter((name) => existsSync(new URL(name, root))),
  )
  const files = sources.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => text(`${folder}${name}`)),
  )
  return new Set(
    files.flatMap((file) => [...file.matchAll(/'([a-z0-9_]+)'/g)].map(([, name]) => name)),
  )
}
