/** From messages to configurations, and back; the bounds of what comes from outside. */
import type { ConfigurationSet, ParameterType } from '@causeway/protos'
import { isRefused } from '@causeway/services'
import { z } from 'zod'
import {
  currentValue,
  isOfType,
  type Configuration,
  type Definition,
  type Parameter,
  type Schema,
  type Value,
} from './domain/configuration.ts'
import { refuse, type RefusedConfiguration } from './domain/refusal.ts'

const contextPattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
const namePattern = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/
const versionPattern = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/
const names_max = 500
const description_length_max = 1_000
const json_length_max = 65_536
const json_depth_max = 100

export function isContext(name: string): boolean {
  return contextPattern.test(name)
}

export function isName(name: string): boolean {
  return namePattern.test(name)
}

export function isVersion(text: string): boolean {
  return versionPattern.test(text)
}

/** Undefined: the text is not JSON, is too long or is nested too deep. */
function readValue(json: string): Value | undefined {
  if (json.length > json_length_max) return undefined
  try {
    const value = JSON.parse(json) as Value
    return isShallow(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A value that is nested much deeper cannot be printed as JSON. */
function isShallow(value: unknown, depth_max = json_depth_max): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth_max > 0 && Object.values(value).every((each) => isShallow(each, depth_max - 1))
}

const newValue = z.custom<Value>(
  (value) =>
    value !== undefined && isShallow(value) && JSON.stringify(value).length <= json_length_max,
  { error: `must be JSON of at most ${json_length_max} characters, ${json_depth_max} deep` },
)

/** A request for other values of a component. */
export const valuesContent = z.strictObject({
  boundedContextId: z.string(),
  /** Those that the change is based on. */
  schemaVersion: z.string(),
  iterationNumber: z.int(),
  /** null: back to the default. */
  newValues: z.array(z.strictObject({ name: z.string(), value: newValue })).max(names_max),
})

export type ValuesContent = z.infer<typeof valuesContent>

/** The schema that a component registers. */
export function readSchema(message: ConfigurationSet): Schema | RefusedConfiguration {
  const { boundedContextId: contextId, schemaVersion, parameters, featureFlags } = message
  if (!isContext(contextId)) return invalid('boundedContextId has 1 to 64 letters, digits, _ and -')
  if (!isVersion(schemaVersion)) return invalid('schemaVersion has three numbers: 1.0.0')
  const names = [...parameters, ...featureFlags].map(({ name }) => name)
  if (names.length > names_max) return invalid(`at most ${names_max} values can be registered`)
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) {
    return invalid('two values have the same name')
  }
  for (const { name, description } of [...parameters, ...featureFlags]) {
    if (!isName(name)) return invalid(`${name} is not a name`)
    if (description.length > description_length_max) {
      return invalid(`the description of ${name} has over ${description_length_max} characters`)
    }
  }
  const read = parameters.map(readParameter)
  const fault = read.find(isRefused)
  if (fault !== undefined) return fault
  const definition: Definition = {
    parameters: read.filter((each) => !isRefused(each)).toSorted(byName),
    featureFlags: featureFlags
      .map(({ name, description, defaultValue }) => ({ name, description, defaultValue }))
      .toSorted(byName),
  }
  return { contextId, schemaVersion, definition }
}

function readParameter({
  name,
  type,
  description,
  defaultJson,
  jsonSchema,
}: ConfigurationSet['parameters'][number]): Parameter | RefusedConfiguration {
  const defaultValue = readValue(defaultJson)
  if (defaultValue === undefined || !isOfType(type, defaultValue)) {
    return invalid(`the default of ${name} is not of the type ${type}`)
  }
  const fault = defaultFault({ type, jsonSchema }, defaultValue)
  if (fault !== undefined) return invalid(`the default of ${name} ${fault}`)
  return { name, type, description, defaultValue, jsonSchema }
}

function defaultFault(
  parameter: Pick<Parameter, 'type' | 'jsonSchema'>,
  value: Value,
): string | undefined {
  try {
    return schemaFault(parameter, value)
  } catch (error) {
    return `has no usable jsonSchema: ${error instanceof Error ? error.message : String(error)}`
  }
}

const jsonTypes: Readonly<Record<ParameterType, string>> = {
  STRING: 'string',
  BOOL: 'boolean',
  INT_NUMBER: 'integer',
  FLOAT_NUMBER: 'number',
  LIST: 'array',
  OBJECT: 'object',
}

/** Patterns are not taken at any depth: one of them can hold up the process for a long time. */
const untaken: ReadonlySet<string> = new Set(['pattern', 'patternProperties', '$ref'])
/** JSON Schema has these with a member for each property, whose names are free. */
const named: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions'])
const schema_depth_max = 20

/** Throws for a schema with a keyword that is not taken, and for one that is nested too deep. */
function checkSchema(schema: unknown, depth = 0): void {
  if (depth > schema_depth_max) throw new Error('it is nested too deep')
  if (Array.isArray(schema)) {
    for (const each of schema) checkSchema(each, depth + 1)
    return
  }
  if (typeof schema !== 'object' || schema === null) return
  for (const [keyword, value] of Object.entries(schema)) {
    if (untaken.has(keyword)) throw new Error(`${keyword} is not taken`)
    const isNamed = named.has(keyword) && typeof value === 'object' && value !== null
    for (const each of isNamed ? Object.values(value as object) : [value]) {
      checkSchema(each, depth + 1)
    }
  }
}

/** Why a value does not satisfy the JSON Schema of its parameter; undefined if it does. */
export function schemaFault(
  { type, jsonSchema }: Pick<Parameter, 'type' | 'jsonSchema'>,
  value: Value,
): string | undefined {
  if (jsonSchema === undefined) return undefined
  if (jsonSchema.length > json_length_max) throw new Error('it is too long')
  const schema = z.looseObject({}).parse(JSON.parse(jsonSchema))
  checkSchema(schema)
  const result = z.fromJSONSchema({ ...schema, type: jsonTypes[type] } as never).safeParse(value)
  const [issue] = result.error?.issues ?? []
  return issue && `is refused: ${[...issue.path.map(String), issue.message].join(': ')}`
}

function invalid(detail: string): RefusedConfiguration {
  return refuse('INVALID', detail)
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1
}

export function configurationMessage(configuration: Configuration): ConfigurationSet {
  const { contextId, schemaVersion, iterationNumber, definition, changed, setValues } =
    configuration
  const isSet = (name: string) => Object.hasOwn(setValues, name)
  return {
    boundedContextId: contextId,
    schemaVersion,
    iterationNumber,
    parameters: definition.parameters.map((parameter) => ({
      name: parameter.name,
      type: parameter.type,
      description: parameter.description,
      defaultJson: JSON.stringify(parameter.defaultValue),
      currentJson: JSON.stringify(currentValue(configuration, parameter)),
      isSet: isSet(parameter.name),
      ...(parameter.jsonSchema === undefined ? {} : { jsonSchema: parameter.jsonSchema }),
    })),
    featureFlags: definition.featureFlags.map((flag) => ({
      ...flag,
      currentValue: currentValue(configuration, flag) === true,
      isSet: isSet(flag.name),
    })),
    ...(changed && { changedAt: changed.at.toISOString(), changedBy: changed.by }),
  }
}
