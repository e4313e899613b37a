/**
 * The compose file and the chart set what the programs read: no unknown name, none missing that has no
 * default, and the network policies follow who calls whom.
 */
import { expect, test, describe } from '@jest/globals'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { defaultDocument } from '@causeway/fspiop-api/openapi'
import {
  onboardSettings,
  operatorGatewaySettings,
  secretsSettings,
} from '@causeway/hub/distributed/settings'
import {
  openMetrics,
  readSettings,
  settingsOfProcess,
  text,
  type SettingDefinitions,
} from '@causeway/process'
import { grpcUrlName } from '@causeway/runtime'
import { settings as sandboxFsp } from '@causeway/sandbox-fsp'
import { participantNames, usualFsps } from '@causeway/sandbox-fsp/fsps'
import { callsOf, serviceNames, settingPrefix, type ServiceName } from '@causeway/services'
import { distributedSettingsOf, readChartSchema, withSettings } from './chart-schema.ts'
import { consoleTypes, readConsoleTypes } from './console-types.ts'
import { readFspOpenApi } from './fsp-openapi.ts'
import { readSettingsPage, settingsPage } from './settings-reference.ts'
import {
  type DeployedSettings,
  chartProcesses,
  composeProcesses,
  facts,
  filesNamed,
  metricsAskedFor,
  migrationsOfChart,
  namesInSources,
  namesInTemplates,
  sandboxTemplate,
} from './deployment.ts'
import { serviceFiles } from './service-files.ts'

/** By program: what it reads. */
const definitions = new Map<string, SettingDefinitions>([
  ['services/hub/dist/distributed/onboard.js', onboardSettings],
  ['services/hub/dist/distributed/operator-gateway.js', operatorGatewaySettings],
  ['services/hub/dist/distributed/secrets.js', secretsSettings],
  ['services/sandbox-fsp/dist/main.js', sandboxFsp],
  ...serviceNames.map((name) => [programOf(name), distributedSettingsOf(name)] as const),
])

function programOf(service: ServiceName): string {
  return `services/${service}/dist/main.js`
}

/** It makes a role for whom it is given a database of. */
const databases = serviceNames.filter((name) => facts[name].database)
const administrator = text({ about: 'who makes roles', default: null, secret: true })
const urls = Object.fromEntries(
  databases
    .flatMap((name) => [`${settingPrefix(name)}_DATABASE_URL`, migrationUrlOf(name)])
    .map((name) => [name, text({ about: 'its database', default: null, secret: true })]),
)
definitions.set('libs/runtime/dist/provision/main.js', {
  PROVISION_DATABASE_URL: administrator,
  ...urls,
})
definitions.set('libs/runtime/dist/provision/migrate-main.js', urls)

/** Names the role that owns the tables. */
function migrationUrlOf(name: ServiceName): string {
  return `${settingPrefix(name)}_MIGRATION_DATABASE_URL`
}

/** A person gives those of the chart that depend on where it runs. */
const givenByAPerson = { KAFKA_BROKERS: 'kafka:9092' }

describe.each([
  ['the compose file', composeProcesses()],
  ['the chart', chartProcesses()],
])('%s', (_which, processes) => {
  test('A deployment runs every service', () => {
    const programs = [...processes.values()].map(({ program }) => program)
    expect(programs).toEqual(expect.arrayContaining(serviceNames.map(programOf)))
  })

  test.each([...processes])(
    'A deployment gives %s what it reads, and nothing else',
    (_name, given) => {
      const known = { ...definitions.get(given.program), ...settingsOfProcess }
      const values = Object.fromEntries(
        Object.entries({ ...givenByAPerson, ...pickUsed(given.settings) })
          .filter(
            ([setting]) => Object.hasOwn(known, setting) || Object.hasOwn(given.settings, setting),
          )
          .map(([setting, value]) => [setting, withoutVariables(value)]),
      )
      // As if they came from a file: there every name has to be known.
      const sources = [{ origin: 'file' as const, values: withoutForeignHubNames(values, known) }]
      expect(Object.keys(readSettings(known, { sources, prefixes: [] }).values)).toEqual(
        Object.keys(known),
      )
    },
  )

  test.each([...processes].filter(([name]) => serviceNames.some((each) => each === name)))(
    'A deployment lets others reach %s, and gives it a certificate to identify itself',
    (_name, { settings }) => {
      expect(settings).toMatchObject({
        GRPC_HOST: '0.0.0.0',
        METRICS_HOST: '0.0.0.0',
        GRPC_TLS_CERTIFICATE_FILE: '/etc/causeway/grpc/tls.crt',
      })
    },
  )
})

test.each([
  ['the compose file', composeProcesses()],
  ['the chart', chartProcesses()],
])('In %s no service knows the password of the role that owns its tables', (_which, processes) => {
  const given = serviceNames.flatMap((name) => Object.keys(processes.get(name)?.settings ?? {}))
  expect(given.filter((name) => name.includes('MIGRATION'))).toEqual([])
})

test('The chart migrates each schema before its service starts, as the role that owns it', () => {
  expect(migrationsOfChart()).toEqual({
    program: 'libs/runtime/dist/provision/migrate-main.js',
    condition: '$service.database',
    settings: ['%s_DATABASE_URL', '%s_MIGRATION_DATABASE_URL'],
    isGivenThem: true,
  })
})

test('The image loads what ends a container on SIGTERM before any program', () => {
  const root = new URL('../../../', import.meta.url)
  const dockerfile = readFileSync(new URL('deploy/Dockerfile', root), 'utf8')
  const [, words = '[]'] = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile) ?? []
  const entrypoint = z.array(z.string()).parse(JSON.parse(words))
  const preload = entrypoint[entrypoint.indexOf('--import') + 1]
  expect(preload).toBe('/app/libs/process/dist/end-while-loading.js')
  expect(existsSync(new URL('libs/process/src/end-while-loading.ts', root))).toBe(true)
})

test.each([...serviceFiles()])(
  'The file %s lists the services as libs/services describes them',
  (_path, { text, wanted }) => {
    // `npm run docs` writes the file.
    expect(text).toBe(wanted)
  },
)

describe.each(serviceNames)('%s', (service) => {
  test('A service may call those that its code calls', () => {
    const folder = fileURLToPath(new URL(`../../../services/${service}/src`, import.meta.url))
    const called = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map((path) => readFileSync(join(folder, path), 'utf8'))
      .flatMap((code) => [...code.matchAll(/grpc\s*\.client\(\s*\w+,\s*'([^']+)'/g)])
      .map(([, name]) => name)
      .filter((name) => name !== service)
    expect(callsOf(service)).toEqual(expect.arrayContaining([...new Set(called)]))
  })
})

describe('the chart', () => {
  test.each(serviceNames)(
    'The chart gives %s the address of each under its own name',
    (service) => {
      const settings = settingsInChart(service)
      const urls = Object.entries(settings).filter(([name]) => name.endsWith('_GRPC_URL'))
      expect(Object.fromEntries(urls)).toEqual(
        Object.fromEntries(callsOf(service).map((name) => [grpcUrlName(name), `${name}:4200`])),
      )
    },
  )

  test.each(serviceNames)('The chart gives %s a database if it stores something', (service) => {
    const stores = Object.hasOwn(
      distributedSettingsOf(service),
      `${settingPrefix(service)}_DATABASE_URL`,
    )
    expect(facts[service].database).toBe(stores)
  })

  test.each(serviceNames)(
    'The chart mounts the folder of every file that %s is configured with',
    (service) => {
      const settings = settingsInChart(service)
      const folders = filesNamed(settings).map((path) => path.split('/').at(-2))
      expect(new Set(folders)).toEqual(new Set(facts[service].files))
    },
  )

  test('The chart gives the sandbox FSPs and the PISP their credentials, every address to listen on, and the hub', () => {
    const settings = settingsInChart('sandbox-fsp')
    expect(settings['SANDBOX_CREDENTIALS_DIR']).toBe('/etc/causeway')
    expect([settings['SANDBOX_HOST'], settings['HUB_URL']]).toEqual([
      '0.0.0.0',
      'https://fspiop-api:4000',
    ])
    expect(sandboxTemplate().folders).toEqual(Object.keys(usualFsps))
  })

  test('The chart opens the ports of every sandbox participant, and lets callbacks in and out', () => {
    const { folders, containerPorts, servicePorts } = sandboxTemplate()
    expect(folders).toEqual(participantNames)
    const people = participantNames.map((name) => [name, usualFsps[name].port] as const)
    const callbacks = participantNames.map(
      (name) => [`${name}-tls`, usualFsps[name].callbackPort] as const,
    )
    const all = Object.fromEntries<number>([...people, ...callbacks])
    expect(containerPorts).toEqual(all)
    expect(servicePorts).toEqual(all)
    const numbers = (ports: readonly (readonly [string, number])[]) => ports.map(([, port]) => port)
    const { fromNotifications, fromOnboarding, toSandbox } = sandboxTemplate().policies
    expect(fromNotifications).toEqual(numbers(callbacks))
    expect(toSandbox).toEqual(numbers(callbacks))
    expect(fromOnboarding).toEqual(numbers(people))
  })

  test('The chart takes every setting of each service that is no secret, and no other', () => {
    // `npm run docs` writes that part of values.schema.json.
    expect(readChartSchema()).toEqual(withSettings(readChartSchema()))
  })

  test('The templates of the chart name no unknown setting', () => {
    const known = new Set([...definitions.values()].flatMap((each) => Object.keys(each)))
    expect(namesInTemplates().filter((name) => !known.has(name))).toEqual([])
  })
})

test('The page docs/settings.md lists every setting of every program as the code defines it', () => {
  // `npm run docs` writes the page.
  expect(readSettingsPage()).toBe(settingsPage())
})

test('The file docs/fsp-api.openapi.json describes the API for FSPs as the code serves it', () => {
  // `npm run docs` writes the file.
  expect(readFspOpenApi()).toEqual(defaultDocument())
})

test('The image contains every folder from which a gRPC contract imports', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const contracts = readdirSync(join(root, 'protos')).filter((name) => name.endsWith('.proto'))
  const folders = contracts.flatMap((name) => {
    const contract = readFileSync(join(root, 'protos', name), 'utf8')
    return [...contract.matchAll(/^import "([^/"]+)\//gm)].map(([, folder = '']) => folder)
  })
  const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')
  const copied = /for part in (.+); do/.exec(dockerfile)?.[1]?.split(' ')
  expect(folders.length).toBeGreaterThan(0)
  expect(copied).toEqual(expect.arrayContaining(folders))
})

test('The types of the console are those that the operator port answers', async () => {
  // `npm run docs` writes the file.
  expect(readConsoleTypes()).toBe(await consoleTypes())
})

test('Dashboards and alarms ask for metrics that are measured', () => {
  const ofProcesses = openMetrics({ ofProcess: true }).getMetricsAsArray()
  const measured = new Set([...namesInSources(), ...ofProcesses.map(({ name }) => name)])
  const asked = metricsAskedFor()
  expect(asked.length).toBeGreaterThan(20)
  expect(asked.filter((name) => !measured.has(name))).toEqual([])
})

function settingsInChart(process: string): DeployedSettings {
  return chartProcesses().get(process)?.settings ?? {}
}

/** An empty value is one that is not given. */
function pickUsed(settings: DeployedSettings): DeployedSettings {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== '' && value !== undefined),
  )
}

/** `${NAME:-usual}` of the compose file is what is usual. */
function withoutVariables(value: string | number | undefined): string {
  return String(value).replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1')
}

/** What the chart gives to all may be for some of them. */
function withoutForeignHubNames(
  values: Readonly<Record<string, string>>,
  known: SettingDefinitions,
): Readonly<Record<string, string>> {
  const shared = ['KAFKA_BROKERS', 'HUB_NAME', 'LOG_LEVEL']
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => Object.hasOwn(known, name) || !shared.includes(name)),
  )
}
