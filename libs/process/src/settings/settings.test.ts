import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { describeSettings, settingRows } from './describe-settings.ts'
import { readSettings, type SettingSource } from './read-settings.ts'
import {
  choice,
  integer,
  mergeSettings,
  optionalText,
  text,
  type SettingValues,
} from './settings.ts'
import { StartError } from '../start-error.ts'

const settings = {
  TRANSFERS_DATABASE_URL: text({ about: 'database of the transfers', default: '' }),
  TRANSFERS_KEY: text({ about: 'signs', default: 'initial', secret: true }),
  SWEEP_INTERVAL_MS: integer({
    about: 'between two sweeps',
    unit: 'ms',
    default: 1_000,
    min: 10,
    max: 60_000,
    atRunTime: true,
  }),
  DURABILITY: choice({ about: 'what lasts', options: ['fsync', 'none'], default: 'fsync' }),
}

const prefixes = ['TRANSFERS_']

function read(...sources: SettingSource[]) {
  return readSettings(settings, { sources, prefixes })
}

function environment(values: SettingSource['values']): SettingSource {
  return { origin: 'environment', values }
}

function faultsOf(...sources: SettingSource[]): string[] {
  try {
    read(...sources)
  } catch (error) {
    if (error instanceof StartError) return error.message.split('\n')
    throw error
  }
  return []
}

test.each([{}, { CA_FILE: '' }])('An optional text that is left out is undefined: %j', (values) => {
  const definitions = { CA_FILE: optionalText({ about: 'authorities' }) }
  const sources = [{ origin: 'file' as const, values }]
  expect(readSettings(definitions, { sources, prefixes: [] }).values.CA_FILE).toBeUndefined()
})

describe('Values of settings:', () => {
  test('Values are typed by their definitions, and defaults apply where none is given', () => {
    const values: SettingValues<typeof settings> = read().values
    const interval_ms: number = values.SWEEP_INTERVAL_MS
    const durability: 'fsync' | 'none' = values.DURABILITY
    expect([interval_ms, durability, values.TRANSFERS_DATABASE_URL]).toEqual([1_000, 'fsync', ''])
  })

  test('A value of an earlier layer overrides that of a later one, and its origin is shown', () => {
    const { values, origins } = read(
      { origin: 'flag', values: { SWEEP_INTERVAL_MS: '20' } },
      { origin: 'file', values: { SWEEP_INTERVAL_MS: '30', DURABILITY: 'none' } },
      environment({ SWEEP_INTERVAL_MS: '40', DURABILITY: 'fsync', TRANSFERS_KEY: 'k' }),
    )
    expect(values).toMatchObject({ SWEEP_INTERVAL_MS: 20, DURABILITY: 'none', TRANSFERS_KEY: 'k' })
    expect(origins).toEqual({
      SWEEP_INTERVAL_MS: 'flag',
      DURABILITY: 'file',
      TRANSFERS_KEY: 'environment',
      TRANSFERS_DATABASE_URL: 'default',
    })
  })

  test('An empty value counts as not given in the environment, but not elsewhere', () => {
    expect(read(environment({ SWEEP_INTERVAL_MS: '' })).origins.SWEEP_INTERVAL_MS).toBe('default')
    expect(read({ origin: 'flag', values: { TRANSFERS_KEY: '' } }).values.TRANSFERS_KEY).toBe('')
    expect(faultsOf({ origin: 'file', values: { SWEEP_INTERVAL_MS: '' } })).toEqual([
      'SWEEP_INTERVAL_MS must be an integer from 10 to 60000 (ms), not (empty) (from file).',
    ])
  })

  test('A value at a bound is accepted and one beyond it refused', () => {
    for (const given of ['10', '60000'])
      expect(faultsOf(environment({ SWEEP_INTERVAL_MS: given }))).toEqual([])
    for (const given of ['9', '60001', '1e3', '10.5', '0x20', ' 20', 'many', '9'.repeat(40)])
      expect(faultsOf(environment({ SWEEP_INTERVAL_MS: given }))).toHaveLength(1)
  })
})

describe('Refused settings:', () => {
  test('A start is refused with one sentence for each fault, all of them at once', () => {
    expect(
      faultsOf(
        { origin: 'flag', values: { SWEEP: '5' } },
        { origin: 'file', values: { SWEEP_INTERVAL_MS: '5' } },
        environment({ DURABILITY: 'some', TRANSFERS_KEYS: 'x' }),
      ),
    ).toEqual([
      'SWEEP (from flag) is not a setting: --print-settings lists them.',
      'TRANSFERS_KEYS (from environment) is not a setting: --print-settings lists them.',
      'SWEEP_INTERVAL_MS must be an integer from 10 to 60000 (ms), not 5 (from file).',
      'DURABILITY must be one of fsync, none, not some (from environment).',
    ])
  })

  test('A start is refused when a required setting is not given', () => {
    const required = { HUB_HOST: text({ about: 'the name of this hub', default: null }) }
    const start = () => readSettings(required, { sources: [environment({})], prefixes: [] })
    expect(start).toThrow('HUB_HOST must be given (the name of this hub): a text')
  })

  test('A start is refused without printing a secret', () => {
    const [fault] = faultsOf(environment({ TRANSFERS_KEY: 's3cret'.repeat(20_000) }))
    expect(fault).toContain(
      'TRANSFERS_KEY must be a text of at most 65536 characters, not (hidden)',
    )
  })

  test('Other variables of the environment, and those that Kubernetes sets, are ignored', () => {
    expect(
      faultsOf(
        environment({
          PATH: '/bin',
          HOME: '/',
          TRANSFERS_SERVICE_HOST: '10.0.0.7',
          TRANSFERS_SERVICE_PORT_GRPC: '4200',
          TRANSFERS_PORT: 'tcp://10.0.0.7:4200',
          TRANSFERS_PORT_4200_TCP_ADDR: '10.0.0.7',
        }),
      ),
    ).toEqual([])
    expect(faultsOf(environment({ TRANSFERS_PORT: '4200' }))).toHaveLength(1)
  })
})

describe('Secrets in files:', () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-secrets-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = (content: string) => {
    const path = join(folder, randomUUID())
    writeFileSync(path, content)
    return path
  }

  test.each([
    ['as it is', 's3cret'],
    ['without the end of its line', 's3cret\n'],
    ['without the end of its line, in the other form', 's3cret\r\n'],
  ])(
    'The content of the file that NAME_FILE names is the value of a secret: %s',
    (_how, content) => {
      const { values, origins } = read(environment({ TRANSFERS_KEY_FILE: file(content) }))
      expect([values.TRANSFERS_KEY, origins.TRANSFERS_KEY]).toEqual(['s3cret', 'environment'])
    },
  )

  test('A secret that is given twice, and a file that cannot be read, are refused', () => {
    const twice = { TRANSFERS_KEY: 'one', TRANSFERS_KEY_FILE: file('other') }
    expect(faultsOf(environment(twice))).toEqual([
      'TRANSFERS_KEY and TRANSFERS_KEY_FILE are both given.',
    ])
    const [fault] = faultsOf(environment({ TRANSFERS_KEY_FILE: join(folder, 'none') }))
    expect(fault).toMatch(/^TRANSFERS_KEY_FILE: ENOENT/)
  })

  test('What is no secret is in no file, and an empty variable names none', () => {
    const values = { DURABILITY_FILE: file('none') }
    expect(faultsOf({ origin: 'file', values })).toEqual([
      'DURABILITY_FILE (from file) is not a setting: --print-settings lists them.',
    ])
    expect(read(environment({ TRANSFERS_KEY_FILE: '' })).origins.TRANSFERS_KEY).toBe('default')
  })
})

describe('Settings of several services:', () => {
  const host = { about: 'where servers listen', default: '127.0.0.1' }

  test('Settings of several services are one object, in which equal definitions are one', () => {
    const all = mergeSettings([settings, { HOST: text(host) }, { HOST: text(host) }])
    const { values } = readSettings(all, { sources: [environment({ HOST: 'x' })], prefixes })
    const merged: { HOST: string; SWEEP_INTERVAL_MS: number } = values
    expect(merged).toMatchObject({ HOST: 'x', SWEEP_INTERVAL_MS: 1_000 })
  })

  test('Two different definitions of one name are refused', () => {
    const other = { HOST: text({ ...host, default: '0.0.0.0' }) }
    expect(() => mergeSettings([{ HOST: text(host) }, other])).toThrow(
      'two definitions of the setting HOST differ',
    )
  })
})

describe('The option --print-settings:', () => {
  const reading = read(
    environment({
      TRANSFERS_DATABASE_URL: 'postgres://transfers:s3cret@db:5432/causeway',
      TRANSFERS_KEY: 's3cret',
      SWEEP_INTERVAL_MS: '20',
    }),
  )

  test('Every setting is shown with value, unit, default, bound, origin, and when a change applies', () => {
    const rows = settingRows(settings, reading)
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(settings).sort())
    expect(rows[1]).toEqual({
      name: 'SWEEP_INTERVAL_MS',
      value: '20',
      unit: 'ms',
      default: '1000',
      bound: 'an integer from 10 to 60000 (ms)',
      origin: 'environment',
      changes: 'at run time',
      about: 'between two sweeps',
    })
  })

  test('Secrets, their defaults and passwords in URLs are hidden', () => {
    const table = describeSettings(settings, reading)
    expect(table).not.toContain('s3cret')
    expect(table).not.toContain('initial')
    expect(table).toContain('postgres://transfers:(hidden)@db:5432/causeway')
  })

  test('Settings are printed as a table with a header and a line for each', () => {
    const lines = describeSettings(settings, reading).split('\n')
    expect(lines).toHaveLength(5)
    expect(lines[0]).toMatch(/^name +value +unit +default +bound +origin +changes +about$/)
  })
})
