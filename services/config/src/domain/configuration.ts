/**
 * What a component can be set to, and what it is set to. Only values that an operator has set are
 * stored; without one the default of the deployment applies.
 */
import type { ParameterType } from '@causeway/protos'
import { refuse, type RefusedConfiguration } from './refusal.ts'

/** A JSON value; null in a change means: back to the default. */
export type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [name: string]: Value }

export interface Parameter {
  readonly name: string
  readonly type: ParameterType
  readonly description: string
  readonly defaultValue: Value
  /** JSON Schema that values must satisfy beyond their type. */
  readonly jsonSchema: string | undefined
}

export interface FeatureFlag {
  readonly name: string
  readonly description: string
  readonly defaultValue: boolean
}

/** Both lists in the order of their names, which are unique over both without regard to case. */
export interface Definition {
  readonly parameters: readonly Parameter[]
  readonly featureFlags: readonly FeatureFlag[]
}

export type SetValues = Readonly<Record<string, Value>>

export interface Configuration {
  readonly contextId: string
  readonly schemaVersion: string
  /** Counts the changes of values. */
  readonly iterationNumber: number
  readonly definition: Definition
  /** What an operator has set, by name. */
  readonly setValues: SetValues
  /** The last change of values; null: none. */
  readonly changed: { readonly at: Date; readonly by: string } | null
}

export type Schema = Pick<Configuration, 'contextId' | 'schemaVersion' | 'definition'>

export type Registered =
  | RefusedConfiguration
  | { readonly type: 'UNCHANGED'; readonly configuration: Configuration }
  | {
      readonly type: 'STORE'
      readonly configuration: Configuration
      /** What operators had set and applies no longer. */
      readonly dropped: SetValues
    }

/**
 * A newer schema keeps the values of the names whose type is unchanged and drops the others, which is a
 * change of values.
 */
export function register(
  stored: Configuration | undefined,
  schema: Schema,
  changed: { readonly at: Date; readonly by: string },
): Registered {
  if (stored === undefined) {
    const first = { ...schema, iterationNumber: 0, setValues: {}, changed: null }
    return { type: 'STORE', configuration: first, dropped: {} }
  }
  const order = compareVersions(schema.schemaVersion, stored.schemaVersion)
  if (order < 0) {
    const detail = `${stored.contextId} has registered the schema ${stored.schemaVersion}`
    return refuse('VERSION_OUTDATED', detail)
  }
  if (order > 0) {
    const types = typesOf(stored.definition)
    const newTypes = typesOf(schema.definition)
    const survives = ([name]: [string, Value]) => newTypes.get(name) === types.get(name)
    const entries = Object.entries(stored.setValues)
    const setValues = Object.fromEntries(entries.filter(survives))
    const dropped = Object.fromEntries(entries.filter((entry) => !survives(entry)))
    const isChange = Object.keys(dropped).length > 0
    const change = { iterationNumber: stored.iterationNumber + 1, changed }
    const configuration = { ...stored, ...schema, setValues, ...(isChange ? change : {}) }
    return { type: 'STORE', configuration, dropped }
  }
  if (withoutDefaults(schema.definition) !== withoutDefaults(stored.definition)) {
    const detail = `the schema ${schema.schemaVersion} of ${stored.contextId} has other content`
    return refuse('MODIFIED', detail)
  }
  return JSON.stringify(schema.definition) === JSON.stringify(stored.definition)
    ? { type: 'UNCHANGED', configuration: stored }
    : { type: 'STORE', configuration: { ...stored, definition: schema.definition }, dropped: {} }
}

/** Negative, zero or positive: the first version is lower than, equal to or higher than the other. */
export function compareVersions(one: string, other: string): number {
  const others = other.split('.').map(Number)
  const differences = one.split('.').map((part, at) => Number(part) - (others[at] ?? 0))
  return differences.find((difference) => difference !== 0) ?? 0
}

function typesOf({ parameters, featureFlags }: Definition): ReadonlyMap<string, string> {
  return new Map([
    ...parameters.map(({ name, type }) => [name, type] as const),
    ...featureFlags.map(({ name }) => [name, 'FLAG'] as const),
  ])
}

/** The defaults are those of the deployment, so two deployments of a version may differ in them. */
function withoutDefaults({ parameters, featureFlags }: Definition): string {
  return JSON.stringify(
    [...parameters, ...featureFlags].map((each) => ({ ...each, defaultValue: null })),
  )
}

export interface NewValue {
  readonly name: string
  readonly value: Value
}

export interface ValuesChange {
  /** Those that the change is based on. */
  readonly schemaVersion: string
  readonly iterationNumber: number
  readonly newValues: readonly NewValue[]
}

/** Why a value does not satisfy the JSON Schema of its parameter; undefined if it does. */
export type SchemaFault = (parameter: Parameter, value: Value) => string | undefined

export type Changed =
  | RefusedConfiguration
  | {
      readonly type: 'CHANGED'
      readonly configuration: Configuration
      /** What applied before, by the names that have changed. */
      readonly replaced: SetValues
    }

/** All of the values or none. */
export function changeValues(
  configuration: Configuration,
  { schemaVersion, iterationNumber, newValues }: ValuesChange,
  schemaFault: SchemaFault,
  changed: { readonly at: Date; readonly by: string },
): Changed {
  const { contextId, definition } = configuration
  if (
    schemaVersion !== configuration.schemaVersion ||
    iterationNumber !== configuration.iterationNumber
  ) {
    const detail = `${contextId} is at schema ${configuration.schemaVersion}, iteration ${configuration.iterationNumber}`
    return refuse('STALE', detail)
  }
  if (newValues.length === 0) return refuse('INVALID', 'newValues is empty')
  const setValues = new Map(Object.entries(configuration.setValues))
  const replaced = new Map<string, Value>()
  for (const { name, value } of newValues) {
    const target = find(definition, name)
    if (target === undefined) return refuse('INVALID', `${contextId} has no value ${name}`)
    if (replaced.has(target.name)) return refuse('INVALID', `${name} is given twice`)
    const fault = value === null ? undefined : faultOf(target, value, schemaFault)
    if (fault !== undefined) return refuse('INVALID', `${target.name} ${fault}`)
    replaced.set(target.name, currentValue(configuration, target))
    if (value === null) setValues.delete(target.name)
    else setValues.set(target.name, value)
  }
  return {
    type: 'CHANGED',
    configuration: {
      ...configuration,
      iterationNumber: iterationNumber + 1,
      setValues: Object.fromEntries(setValues),
      changed,
    },
    replaced: Object.fromEntries(replaced),
  }
}

function find({ parameters, featureFlags }: Definition, name: string) {
  const isNamed = (each: { readonly name: string }) =>
    each.name.toLowerCase() === name.toLowerCase()
  return parameters.find(isNamed) ?? featureFlags.find(isNamed)
}

function faultOf(
  target: Parameter | FeatureFlag,
  value: Value,
  schemaFault: SchemaFault,
): string | undefined {
  const type = 'type' in target ? target.type : 'BOOL'
  if (!isOfType(type, value)) return `is not of the type ${type}`
  return 'jsonSchema' in target ? schemaFault(target, value) : undefined
}

/** Whether a value has the type of its parameter. */
export function isOfType(type: ParameterType, value: Value): boolean {
  switch (type) {
    case 'STRING':
      return typeof value === 'string'
    case 'BOOL':
      return typeof value === 'boolean'
    case 'INT_NUMBER':
      return Number.isSafeInteger(value)
    case 'FLOAT_NUMBER':
      return typeof value === 'number'
    case 'LIST':
      return Array.isArray(value)
    case 'OBJECT':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
  }
}

/** What applies: what an operator has set, or else the default. */
export function currentValue(
  { setValues }: Pick<Configuration, 'setValues'>,
  { name, defaultValue }: Parameter | FeatureFlag,
): Value {
  return Object.hasOwn(setValues, name) ? (setValues[name] ?? defaultValue) : defaultValue
}
