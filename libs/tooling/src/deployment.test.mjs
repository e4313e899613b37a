/**
 * The compose file and the chart set what the programs read: no unknown name, none missing that has no
 * default, and the network policies follow who calls whom.
 */
import { expect, test, describe } from '@jest/globals'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readSettings } from '../../process/src/settings/read-settings.ts'
import {
  distributedSettings,
  grpcUrlName,
  grpcUrls,
} from '../../runtime/src/distributed-settings.ts'
import { settingsOfProcess } from '../../process/src/process.ts'
import { text } from '../../process/src/settings/settings.ts'
import { openMetrics } from '../../process/src/metrics.ts'
import {
  onboardSettings,
  operatorGatewaySettings,
  secretsSettings,
} from '../../../services/hub/src/distributed/settings.ts'
import { usualFsps } from '../../../services/sandbox-fsp/src/fsps.ts'
import { settings as sandboxFsp } from '../../../services/sandbox-fsp/src/settings.ts'
import { callsOf, descriptionOf, serviceNames } from '../../services/src/index.ts'
import { readChartSchema, withSettings } from './chart-schema.mjs'
import { consoleTypes, readConsoleTypes } from './console-types.mjs'
import { fspOpenApi, readFspOpenApi } from './fsp-openapi.mjs'
import { loadSettings, readSettingsPage, settingsPage } from './settings-reference.mjs'
import {
  chartProcesses,
  composeProcesses,
  facts,
  filesNamed,
  metricsAskedFor,
  migrationsOfChart,
  namesInSources,
  namesInTemplates,
  sandboxTemplate,
  settingPrefix,
} from './deployment.mjs'
import { serviceFiles } from './service-files.mjs'

/** By program: what it reads. */
const definitions = new Map([
  ['services/hub/dist/distributed/onboard.js', onboardSettings],
  ['services/hub/dist/distributed/operator-gateway.js', operatorGatewaySettings],
  ['services/hub/dist/distributed/secrets.js', secretsSettings],
  ['services/sandbox-fsp/dist/main.js', sandboxFsp],
])
for (const service of serviceNames) {
  const { settings } = await import(`../../../services/${service}/src/settings.ts`)
  const all = { ...settings, ...grpcUrls(callsOf(service)), ...distributedSettings }
  definitions.set(`services/${service}/dist/main.js`, all)
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
function migrationUrlOf(name) {
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
    expect(programs).toEqual(
      expect.arrayContaining(serviceNames.map((name) => `services/${name}/dist/main.js`)),
    )
  })

  test.each([...processes])(
    'A deployment gives %s what it reads, and nothing else',
    (name, given) => {
      const known = { ...definitions.get(given.program), ...settingsOfProcess }
      const values = Object.fromEntries(
        Object.entries({ ...givenByAPerson, ...pickUsed(given.settings) })
          .filter(
            ([setting]) => Object.hasOwn(known, setting) || Object.hasOwn(given.settings, setting),
          )
          .map(([setting, value]) => [setting, withoutVariables(value)]),
      )
      // As if they came from a file: there every name has to be known.
      const sources = [{ origin: 'file', values: withoutForeignHubNames(values, known) }]
      expect(Object.keys(readSettings(known, { sources, prefixes: [] }).values)).toEqual(
        Object.keys(known),
      )
    },
  )

  test.each([...processes].filter(([name]) => serviceNames.includes(name)))(
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
  const given = serviceNames.flatMap((name) => Object.keys(processes.get(name).settings))
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
  const entrypoint = JSON.parse(words)
  const preload = entrypoint[entrypoint.indexOf('--import') + 1]
  expect(preload).toBe('/app/libs/process/dist/end-while-loading.js')
  expect(existsSync(new URL('libs/process/src/end-while-loading.ts', root))).toBe(true)
})

const described = new Map(serviceNames.map((name) => [name, descriptionOf(name)]))

test.each([...serviceFiles(described)])(
  'The file %s lists the services as libs/services describes them',
  (_path, { text, wanted }) => {
    // `npm run docs` after a build writes the file.
    expect(text).toBe(wanted)
  },
)

describe.each(serviceNames)('%s', (service) => {
  test('A service may call those that its code calls', () => {
    const folder = fileURLToPath(new URL(`../../../services/${service}/src`, import.meta.url))
    const called = readdirSync(folder, { recursive: true })
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
      const { settings } = chartProcesses().get(service)
      const urls = Object.entries(settings).filter(([name]) => name.endsWith('_GRPC_URL'))
      expect(Object.fromEntries(urls)).toEqual(
        Object.fromEntries(callsOf(service).map((name) => [grpcUrlName(name), `${name}:4200`])),
      )
    },
  )

  test.each(serviceNames)('The chart gives %s a database if it stores something', (service) => {
    const stores = Object.hasOwn(
      definitions.get(`services/${service}/dist/main.js`),
      `${settingPrefix(service)}_DATABASE_URL`,
    )
    expect(facts[service].database).toBe(stores)
  })

  test.each(serviceNames)(
    'The chart mounts the folder of every file that %s is configured with',
    (service) => {
      const { settings } = chartProcesses().get(service)
      const folders = filesNamed(settings).map((path) => path.split('/').at(-2))
      expect(new Set(folders)).toEqual(new Set(facts[service].files))
    },
  )

  test('The chart gives the sandbox FSPs and the PISP their credentials, every address to listen on, and the hub', () => {
    const { settings } = chartProcesses().get('sandbox-fsp')
    expect(settings['SANDBOX_CREDENTIALS_DIR']).toBe('/etc/causeway')
    expect([settings['SANDBOX_HOST'], settings['HUB_URL']]).toEqual([
      '0.0.0.0',
      'https://fspiop-api:4000',
    ])
    expect(sandboxTemplate().folders).toEqual(Object.keys(usualFsps))
  })

  test('The chart opens the ports of every sandbox participant, and lets callbacks in and out', () => {
    const { folders, containerPorts, servicePorts } = sandboxTemplate()
    const people = folders.map((name) => [name, usualFsps[name].port])
    const callbacks = folders.map((name) => [`${name}-tls`, usualFsps[name].callbackPort])
    const all = Object.fromEntries([...people, ...callbacks])
    expect(containerPorts).toEqual(all)
    expect(servicePorts).toEqual(all)
    const numbers = (ports) => ports.map(([, port]) => port)
    const { fromNotifications, fromOnboarding, toSandbox } = sandboxTemplate().policies
    expect(fromNotifications).toEqual(numbers(callbacks))
    expect(toSandbox).toEqual(numbers(callbacks))
    expect(fromOnboarding).toEqual(numbers(people))
  })

  test('The chart takes every setting of each service that is no secret, and no other', () => {
    const all = serviceNames.map((name) => [
      name,
      { ...definitions.get(`services/${name}/dist/main.js`), ...settingsOfProcess },
    ])
    // `npm run docs` after a build writes that part of values.schema.json.
    expect(readChartSchema()).toEqual(withSettings(readChartSchema(), new Map(all)))
  })

  test('The templates of the chart name no unknown setting', () => {
    const known = Object.assign({}, ...definitions.values())
    expect(namesInTemplates().filter((name) => !Object.hasOwn(known, name))).toEqual([])
  })
})

test('The page docs/settings.md lists every setting of every program as the code defines it', async () => {
  const load = (folder, name) => import(`../../../${folder}/src/${name}.ts`)
  // `npm run docs` after a build writes the page.
  expect(readSettingsPage()).toBe(settingsPage(await loadSettings(load)))
})

test('The file docs/fsp-api.openapi.json describes the API for FSPs as the code serves it', async () => {
  const load = (name) => import(`../../../services/fspiop-api/src/${name}.ts`)
  // `npm run docs` after a build writes the file.
  expect(readFspOpenApi()).toEqual(await fspOpenApi(load))
})

test('The image contains every folder from which a gRPC contract imports', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const contracts = readdirSync(join(root, 'protos')).filter((name) => name.endsWith('.proto'))
  const folders = contracts.flatMap((name) => {
    const contract = readFileSync(join(root, 'protos', name), 'utf8')
    return [...contract.matchAll(/^import "([^/"]+)\//gm)].map(([, folder]) => folder)
  })
  const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')
  const copied = /for part in (.+); do/.exec(dockerfile)?.[1].split(' ')
  expect(folders.length).toBeGreaterThan(0)
  expect(copied).toEqual(expect.arrayContaining(folders))
})

test('The types of the console are those that the operator port answers', async () => {
  const load = (name) => import(`../../../services/admin/src/${name}.ts`)
  // `npm run docs` after a build writes the file.
  expect(readConsoleTypes()).toBe(await consoleTypes(load))
})

test('Dashboards and alarms ask for metrics that are measured', () => {
  const ofProcesses = openMetrics({ ofProcess: true }).getMetricsAsArray()
  const measured = new Set([...namesInSources(), ...ofProcesses.map(({ name }) => name)])
  const asked = metricsAskedFor()
  expect(asked.length).toBeGreaterThan(20)
  expect(asked.filter((name) => !measured.has(name))).toEqual([])
})

/** An empty value is one that is not given. */
function pickUsed(settings) {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== '' && value !== undefined),
  )
}

/** `${NAME:-usual}` of the compose file is what is usual. */
function withoutVariables(value) {
  return String(value).replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1')
}

/** What the chart gives to all may be for some of them. */
function withoutForeignHubNames(values, known) {
  const shared = ['KAFKA_BROKERS', 'HUB_NAME', 'LOG_LEVEL']
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => Object.hasOwn(known, name) || !shared.includes(name)),
  )
}
