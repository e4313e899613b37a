/**
 * Which settings the compose file and the chart give to which process, and from where. Reads their
 * files as they are; a chart is not rendered for it, so that no Helm is needed.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { grpcUrlName } from '@causeway/runtime'
import { serviceNames, settingPrefix } from '@causeway/services'
import { parse } from 'yaml'
import { z } from 'zod'

const root = new URL('../../../', import.meta.url)
const chart = new URL('helm/causeway/', root)
const text = (path: string, base = root) => readFileSync(new URL(path, base), 'utf8')
const yaml = (path: string, base = root): unknown => parse(text(path, base), { merge: true })

const serviceName = z.enum(serviceNames)
const serviceFacts = z.object({
  calls: z.array(serviceName),
  database: z.boolean(),
  files: z.array(z.string()),
  secrets: z.record(z.string(), z.array(z.string())).default({}),
})
const settingValues = z.record(z.string(), z.union([z.string(), z.number()]))
const chartValues = z.object({
  settings: settingValues,
  defaults: z.object({ settings: settingValues }),
  services: z.record(z.string(), z.object({ settings: settingValues.optional() })),
})
const container = z.object({
  command: z.array(z.string()).default([]),
  env_file: z.array(z.string()).default([]),
  environment: settingValues.default({}),
})
const alarmGroups = z.array(z.object({ rules: z.array(z.object({ expr: z.string() })) }))
const dashboardPanel = z.object({ targets: z.array(z.object({ expr: z.string() })).default([]) })
const dashboard = z.object({ panels: z.array(dashboardPanel) })

export type DeployedSettings = Readonly<Record<string, string | number | undefined>>

export interface DeployedProcess {
  readonly program: string
  readonly settings: DeployedSettings
}

/** Facts of the services that the chart is made from. */
export const facts = z.record(serviceName, serviceFacts).parse(yaml('services.yaml', chart))

function envFile(name: string): DeployedSettings {
  return parseEnv(text(`env/${name}.env`, chart))
}

/** By container: the program, and every setting that it is given. */
export function composeProcesses(): ReadonlyMap<string, DeployedProcess> {
  const { services } = z
    .object({ services: z.record(z.string(), container) })
    .parse(yaml('deploy/compose.yml'))
  const folder = new URL('deploy/', root)
  return new Map(
    Object.entries(services).flatMap(([name, { command, env_file, environment }]) => {
      const program = command.at(-1)
      if (program?.endsWith('.js') !== true) return []
      const files = env_file.map((path) => parseEnv(text(path, folder)))
      // A file that is made at the first start; its name tells its content.
      const made = command.some((word) => word.endsWith('/seal/env'))
        ? { [`${settingPrefix(serviceName.parse(name))}_SECRETS_KEY`]: 'made' }
        : {}
      const settings = [...files, environment, made].flatMap((each) => Object.entries(each))
      return [[name, { program, settings: Object.fromEntries(settings) }]]
    }),
  )
}

/** The same of the chart with its default values, the databases and other Secrets included. */
export function chartProcesses(): ReadonlyMap<string, DeployedProcess> {
  const values = chartValues.parse(yaml('values.yaml', chart))
  const hub = { HUB_NAME: values.settings.HUB_NAME }
  const services = serviceNames.map((name) => {
    const { calls, database, secrets } = facts[name]
    const addresses = calls
      .filter((called) => called !== name)
      .map((called) => [grpcUrlName(called), `${called}:4200`] as const)
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
    return [name, { program: `services/${name}/dist/main.js`, settings }] as const
  })
  const others = Object.entries({
    'operator-gateway': 'services/hub/dist/distributed/operator-gateway.js',
    'sandbox-fsp': 'services/sandbox-fsp/dist/main.js',
    onboard: 'services/hub/dist/distributed/onboard.js',
  }).map(([name, program]) => [name, { program, settings: { ...envFile(name), ...hub } }] as const)
  return new Map<string, DeployedProcess>([...services, ...others])
}

function envFileIfAny(name: string): DeployedSettings {
  try {
    return envFile(name)
  } catch {
    return {}
  }
}

/** Names of settings that a template of the chart gives to every service under some condition. */
export function namesInTemplates(): readonly string[] {
  const template = text('templates/deployments.yaml', chart)
  const named = [...template.matchAll(/(?:- name: |"name" ")([A-Z][A-Z0-9_]+)\b/g)]
  return [...named.map(([, name = '']) => name), ...Object.keys(envFile('kafka-tls'))]
}

/**
 * What the chart's template of the sandbox mounts and opens, read from its text: it is rendered by Helm alone.
 * Ports by name; `policies` are the ports of each rule that allows access to the sandbox.
 */
export function sandboxTemplate() {
  const sandbox = text('templates/sandbox.yaml', chart)
  const [, folders = ''] = /\$folders := list ([^}]*?) ?}}/.exec(sandbox) ?? []
  const [, service = ''] = /range \$port, \$number := dict ([^}]*?) }}/.exec(sandbox) ?? []
  const named = (found: Iterable<RegExpExecArray>) =>
    Object.fromEntries(Array.from(found, ([, name = '', port]) => [name, Number(port)]))
  const [fromNotifications, fromOnboarding] = portLists(sandbox)
  const [toSandbox] = portLists(
    text('templates/network-policies.yaml', chart).split('(eq $name "notifications")')[1] ?? '',
  )
  return {
    folders: [...folders.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name),
    containerPorts: named(sandbox.matchAll(/name: ([a-z-]+), containerPort: (\d+)/g)),
    servicePorts: named(service.matchAll(/"([a-z-]+)" (\d+)/g)),
    policies: { fromNotifications, fromOnboarding, toSandbox },
  }
}

/** Of each line `ports: [{ port: 1, … }, …]` the numbers. */
function portLists(template: string): readonly (readonly number[])[] {
  return [...template.matchAll(/ports: \[(\{ port: .*)\]/g)].map(([, list = '']) =>
    [...list.matchAll(/port: (\d+)/g)].map(([, port]) => Number(port)),
  )
}

/** What the chart's init container runs and where, and which settings it gets, read from the template's text. */
export function migrationsOfChart() {
  const template = text('templates/deployments.yaml', chart)
  const [before = '', after = ''] = template.split('initContainers:')
  const [initContainer = ''] = after.split(/^ {6}containers:/m)
  const [, listed = ''] = /\$migration := list([^}]*)\}\}/.exec(template) ?? []
  return {
    program: /args: \[([^\]]+)\]/.exec(initContainer)?.[1],
    condition: /\{\{- if (\S+) \}\}\s*$/.exec(before)?.[1],
    settings: [...listed.matchAll(/printf "([^"]*URL)"/g)].map(([, name = '']) => name),
    isGivenThem: initContainer.includes('include "causeway.secretFiles" $migration'),
  }
}

/** Files that a setting names, as they are in a container. */
export function filesNamed(settings: DeployedSettings): readonly string[] {
  return Object.entries(settings)
    .filter(([name]) => name.endsWith('_FILE'))
    .map(([, path]) => String(path))
}

const ofTheHub = new RegExp(
  `\\b(?:${['bus', 'certificate', 'insecure', 'nodejs', 'process', 'security', ...serviceNames.map((name) => name.replaceAll('-', '_'))].join('|')})_[a-z0-9_]+`,
  'g',
)

/** Names of metrics in the dashboards and alarms, a histogram's by its own name. */
export function metricsAskedFor(): readonly string[] {
  const shown = readdirSync(new URL('deploy/dashboards/', root)).flatMap((name) => {
    const { panels } = dashboard.parse(JSON.parse(text(`deploy/dashboards/${name}`)))
    return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  })
  const { groups } = z.object({ groups: alarmGroups }).parse(yaml('deploy/prometheus/alarms.yml'))
  const alarms = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))
  const names = [...shown, ...alarms].flatMap((expr) => expr.match(ofTheHub) ?? [])
  return [...new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))]
}

/** Every text of the sources that could be the name of a metric. */
export function namesInSources(): ReadonlySet<string> {
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
    files.flatMap((file) => [...file.matchAll(/'([a-z0-9_]+)'/g)].map(([, name = '']) => name)),
  )
}
