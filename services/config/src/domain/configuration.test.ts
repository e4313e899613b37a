import { expect, test } from '@jest/globals'
import {
  changeValues,
  compareVersions,
  currentValue,
  register,
  type Configuration,
  type Definition,
  type Parameter,
  type Value,
} from './configuration.ts'

const rate: Parameter = {
  name: 'RATE_MAX',
  type: 'INT_NUMBER',
  description: 'requests per second',
  defaultValue: 100,
  jsonSchema: '{"minimum":1}',
}
const name: Parameter = { ...rate, name: 'NAME', type: 'STRING', defaultValue: 'hub' }
const flag = { name: 'NOTIFY', description: 'notify the payee FSP', defaultValue: true }
const definition: Definition = { parameters: [name, rate], featureFlags: [flag] }

const stored: Configuration = {
  contextId: 'edge',
  schemaVersion: '1.2.0',
  iterationNumber: 3,
  definition,
  setValues: { RATE_MAX: 5, NAME: 'other', NOTIFY: false },
  changed: null,
}

const changed = { at: new Date(0), by: 'ada' }

function change(newValues: readonly { name: string; value: Value }[], base = stored) {
  const { schemaVersion, iterationNumber } = base
  const asked = { schemaVersion, iterationNumber, newValues }
  const fault = ({ name: of }: Parameter, value: Value) =>
    of === 'RATE_MAX' && value === 0 ? 'is too small' : undefined
  return changeValues(stored, asked, fault, changed)
}

test('The first schema begins at iteration 0 with the defaults', () => {
  const schema = { contextId: 'edge', schemaVersion: '1.0.0', definition }
  const registered = register(undefined, schema, changed)
  expect(registered).toEqual({
    type: 'STORE',
    configuration: { ...schema, iterationNumber: 0, setValues: {}, changed: null },
    dropped: {},
  })
})

test('The same schema changes nothing', () => {
  expect(register(stored, stored, changed)).toEqual({ type: 'UNCHANGED', configuration: stored })
})

test('The same version may bring the defaults of another deployment, and set values stay', () => {
  const parameters = [name, { ...rate, defaultValue: 200 }]
  const wanted = { ...stored, definition: { ...definition, parameters } }
  const registered = register(stored, wanted, changed)
  expect(registered.type).toBe('STORE')
  expect(registered).toMatchObject({
    configuration: { setValues: stored.setValues, definition: { parameters } },
  })
})

test('The same version with other content is refused', () => {
  const parameters = [name, { ...rate, type: 'FLOAT_NUMBER' as const }]
  expect(
    register(stored, { ...stored, definition: { ...definition, parameters } }, changed),
  ).toMatchObject({
    reason: 'MODIFIED',
  })
})

test('A lower version is refused', () => {
  expect(register(stored, { ...stored, schemaVersion: '1.1.9' }, changed)).toMatchObject({
    reason: 'VERSION_OUTDATED',
  })
})

test('A higher version keeps the values of names whose type is unchanged and drops the others', () => {
  const parameters = [{ ...name, type: 'LIST' as const, defaultValue: [] }, rate]
  const schema = {
    ...stored,
    schemaVersion: '1.10.0',
    definition: { parameters, featureFlags: [] },
  }
  expect(register(stored, schema, changed)).toMatchObject({
    type: 'STORE',
    configuration: {
      schemaVersion: '1.10.0',
      iterationNumber: 4,
      setValues: { RATE_MAX: 5 },
      changed,
    },
    dropped: { NAME: 'other', NOTIFY: false },
  })
})

test('A higher version that drops no value is no change of values', () => {
  const registered = register(stored, { ...stored, schemaVersion: '1.10.0' }, changed)
  expect(registered).toEqual({
    type: 'STORE',
    configuration: { ...stored, schemaVersion: '1.10.0' },
    dropped: {},
  })
})

test.each([
  ['1.2.3', '1.2.3', 0],
  ['1.10.0', '1.9.9', 1],
  ['0.9.9', '1.0.0', -1],
  ['1.0.1', '1.0.2', -1],
])('The versions %s and %s are compared number by number', (one, other, sign) => {
  expect(Math.sign(compareVersions(one, other))).toBe(sign)
})

test('A change raises the iteration and finds names without regard to case', () => {
  expect(change([{ name: 'rate_max', value: 7 }])).toEqual({
    type: 'CHANGED',
    replaced: { RATE_MAX: 5 },
    configuration: {
      ...stored,
      iterationNumber: 4,
      setValues: { ...stored.setValues, RATE_MAX: 7 },
      changed,
    },
  })
})

test('The value null returns to the default', () => {
  const result = change([{ name: 'RATE_MAX', value: null }])
  if (result.type === 'REFUSE') throw new Error(result.detail)
  expect(result.configuration.setValues).toEqual({ NAME: 'other', NOTIFY: false })
  expect(currentValue(result.configuration, rate)).toBe(100)
})

test('A name that every object of JavaScript has is a name like any other', () => {
  const named = { ...rate, name: 'constructor' }
  expect(currentValue({ setValues: {} }, named)).toBe(100)
  expect(currentValue({ setValues: { constructor: 7 } }, named)).toBe(7)
})

test.each([
  ['an older iteration', { ...stored, iterationNumber: 2 }],
  ['a newer iteration', { ...stored, iterationNumber: 4 }],
  ['another schema', { ...stored, schemaVersion: '1.3.0' }],
])('A change that is based on %s is refused', (_, base) => {
  expect(change([{ name: 'RATE_MAX', value: 7 }], base)).toMatchObject({ reason: 'STALE' })
})

test.each([
  ['no value', []],
  ['an unknown name', [{ name: 'RATE', value: 1 }]],
  [
    'a name twice',
    [
      { name: 'RATE_MAX', value: 1 },
      { name: 'rate_max', value: 2 },
    ],
  ],
  ['a value of another type', [{ name: 'RATE_MAX', value: '7' }]],
  ['a fraction for an integer', [{ name: 'RATE_MAX', value: 1.5 }]],
  ['a value out of its bounds', [{ name: 'RATE_MAX', value: 0 }]],
  ['a text for a flag', [{ name: 'NOTIFY', value: 'on' }]],
  [
    'one wrong value among right ones',
    [
      { name: 'NAME', value: 'x' },
      { name: 'NOTIFY', value: 1 },
    ],
  ],
])('A change with %s is refused as a whole', (_, newValues) => {
  expect(change(newValues)).toMatchObject({ type: 'REFUSE', reason: 'INVALID' })
})
