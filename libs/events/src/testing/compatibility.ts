/**
 * Whether the consumers of one release can read what another one publishes, by the JSON schemas of their
 * catalogues. Members that a consumer does not know are passed over by it, so they are no difference.
 */
import { z } from 'zod'
import type { EventDefinition } from '../catalogue/define.ts'

/** As much of JSON schema as the catalogue uses. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly [bound: string]: unknown
}

export interface Published {
  readonly topic: string
  readonly schema: Schema
}

export type Release = Readonly<Record<string, Published>>

/** Each of these narrows what a schema takes. */
const lowerBounds = ['minLength', 'minItems', 'minimum', 'exclusiveMinimum']
const upperBounds = ['maxLength', 'maxItems', 'maximum', 'exclusiveMaximum']
const patterns = ['pattern', 'format', 'contentEncoding', 'multipleOf']

export function releaseOf(catalogue: Readonly<Record<string, EventDefinition>>): Release {
  return Object.fromEntries(
    Object.entries(catalogue).map(([name, { topic, schema }]) => [
      name,
      { topic, schema: jsonSchemaOf(schema) },
    ]),
  )
}

function jsonSchemaOf(schema: z.ZodType): Schema {
  const { $schema: _which, ...rest } = z.toJSONSchema(schema)
  return rest as Schema
}

/** What of the publisher's events the reader cannot read, a sentence each. */
export function unreadable(publisher: Release, reader: Release): readonly string[] {
  return Object.entries(publisher).flatMap(([name, { topic, schema }]) => {
    const known = reader[name]
    if (known === undefined) return [`${name} is not known`]
    if (known.topic !== topic) return [`${name} is expected on ${known.topic}, not on ${topic}`]
    return differences(schema, known.schema, name)
  })
}

/** @param at where in the payload, for the sentence */
function differences(written: Schema, read: Schema, at: string): readonly string[] {
  const choices = written.anyOf ?? written.oneOf
  if (choices !== undefined) return choices.flatMap((choice) => differences(choice, read, at))
  const readable = read.anyOf ?? read.oneOf
  if (readable !== undefined) return ofBest(readable, written, at)
  return [
    ...ofValues(written, read, at),
    ...ofTypes(written, read, at),
    ...ofMembers(written, read, at),
    ...ofBounds(written, read, at),
    ...(read.items === undefined ? [] : differences(written.items ?? {}, read.items, `${at}[]`)),
  ]
}

/** Of several ways to read it the one that reads most of it. */
function ofBest(readable: readonly Schema[], written: Schema, at: string): readonly string[] {
  const all = readable.map((choice) => differences(written, choice, at))
  return all.toSorted((one, other) => one.length - other.length)[0] ?? []
}

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  return 'const' in schema ? [schema.const] : schema.enum
}

function ofValues(written: Schema, read: Schema, at: string): readonly string[] {
  const known = valuesOf(read)
  if (known === undefined) return []
  const values = valuesOf(written)
  if (values === undefined) return [`${at} may have other values than ${known.join(', ')}`]
  return values
    .filter((value) => !known.includes(value))
    .map((value) => `${at} may be ${String(value)}`)
}

function ofTypes(written: Schema, read: Schema, at: string): readonly string[] {
  const known = typesOf(read)
  if (known.length === 0) return []
  const types = typesOf(written)
  if (types.length === 0) return [`${at} may be anything and not only ${known.join(' or ')}`]
  return types
    .filter((type) => !known.includes(type) && !(type === 'integer' && known.includes('number')))
    .map((type) => `${at} may be ${type} and not only ${known.join(' or ')}`)
}

function typesOf({ type = [] }: Schema): readonly string[] {
  return typeof type === 'string' ? [type] : type
}

function ofMembers(written: Schema, read: Schema, at: string): readonly string[] {
  const found: string[] = []
  for (const name of read.required ?? []) {
    if (written.required?.includes(name) !== true) found.push(`${at}.${name} may be absent`)
  }
  for (const [name, member] of Object.entries(read.properties ?? {})) {
    const other = written.properties?.[name]
    if (other !== undefined) found.push(...differences(other, member, `${at}.${name}`))
  }
  const { additionalProperties: others } = read
  if (typeof others === 'object' && typeof written.additionalProperties === 'object') {
    found.push(...differences(written.additionalProperties, others, `${at}.*`))
  }
  return found
}

function ofBounds(written: Schema, read: Schema, at: string): readonly string[] {
  const breaks = (name: string, isWider: (here: number, there: number) => boolean) => {
    const [here, there] = [written[name], read[name]]
    if (typeof there !== 'number') return false
    return typeof here !== 'number' || isWider(here, there)
  }
  return [
    ...lowerBounds.filter((name) => breaks(name, (here, there) => here < there)),
    ...upperBounds.filter((name) => breaks(name, (here, there) => here > there)),
    ...patterns.filter((name) => read[name] !== undefined && read[name] !== written[name]),
  ].map((name) => `${at} has another ${name}`)
}
