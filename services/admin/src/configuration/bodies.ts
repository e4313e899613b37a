/** Schemas and values of components as they are sent and shown. */
import { parameterTypeValues, present, type ConfigurationSet } from '@causeway/protos'
import { z } from 'zod'
import { correlationId, wholeNumber, word } from '../fields.ts'
import { numberMember, type Json } from '../json.ts'
import { shownTime } from '../shapes.ts'

const names_max = 500
const description = z.string().max(1_000)

/** Any JSON value; a number is the nearest one of JavaScript. */
const value = z.unknown().transform(plainJson)

const parameter = z.strictObject({
  name: word,
  type: z.enum(parameterTypeValues),
  description,
  defaultValue: value,
  /** What values must satisfy beyond their type. */
  jsonSchema: value.optional(),
})

const featureFlag = z.strictObject({ name: word, description, defaultValue: z.boolean() })

const newValue = z.strictObject({ name: word, value })

const schemaMembers = {
  schemaVersion: word,
  parameters: z.array(parameter).max(names_max).optional(),
  featureFlags: z.array(featureFlag).max(names_max).optional(),
}

/** What a component registers. */
export const schemaBody = z.strictObject({ boundedContextId: word, ...schemaMembers })

/** Either a schema, or other values with the schema and the iteration that they are based on. */
export const schemaOrValues = z.strictObject({
  boundedContextId: word.optional(),
  ...schemaMembers,
  /** Chosen by the client, so that the same request can be sent again; generated when left out. */
  requestId: correlationId.optional(),
  iterationNumber: wholeNumber(0, 2 ** 31 - 1).optional(),
  /** null: back to the default. */
  newValues: z.array(newValue).min(1).max(names_max).optional(),
})

export type SchemaBody = z.infer<typeof schemaBody>

/** `sent` as read by `readJson`, in which numbers are objects with their text. */
function plainJson(sent: unknown): Json {
  if (Array.isArray(sent)) return sent.map(plainJson)
  if (typeof sent !== 'object' || sent === null) return sent as Json
  const members = Object.entries(sent)
  const [first] = members
  if (members.length === 1 && first?.[0] === numberMember) return Number(first[1])
  return Object.fromEntries(members.map(([name, member]) => [name, plainJson(member)]))
}

export function schemaMessage(
  { boundedContextId, schemaVersion, parameters = [], featureFlags = [] }: SchemaBody,
  actor: string,
): ConfigurationSet {
  return {
    boundedContextId,
    schemaVersion,
    iterationNumber: 0,
    parameters: parameters.map(({ defaultValue, jsonSchema, ...rest }) => ({
      ...rest,
      defaultJson: JSON.stringify(defaultValue),
      ...(jsonSchema === undefined ? {} : { jsonSchema: JSON.stringify(jsonSchema) }),
      currentJson: '',
      isSet: false,
    })),
    featureFlags: featureFlags.map((flag) => ({ ...flag, currentValue: false, isSet: false })),
    actor,
  }
}

export const shownSet = z
  .strictObject({
    boundedContextId: z.string(),
    schemaVersion: z.string(),
    /** Counts the changes of values. */
    iterationNumber: z.int(),
    parameters: z.array(
      z.strictObject({
        name: z.string(),
        type: parameter.shape.type,
        description: z.string(),
        defaultValue: z.unknown(),
        currentValue: z.unknown(),
        /** An operator has set it; without that the default applies. */
        isSet: z.boolean(),
        jsonSchema: z.unknown().optional(),
      }),
    ),
    featureFlags: z.array(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        defaultValue: z.boolean(),
        currentValue: z.boolean(),
        isSet: z.boolean(),
      }),
    ),
    changedAt: shownTime.optional(),
    changedBy: z.string().optional(),
  })
  .meta({ id: 'ConfigurationSet' })

export function setBody(set: ConfigurationSet): Json {
  const { boundedContextId, schemaVersion, iterationNumber, changedAt, changedBy } = set
  return {
    boundedContextId,
    schemaVersion,
    iterationNumber,
    parameters: set.parameters.map(
      ({ name, type, description: about, defaultJson, currentJson, isSet, jsonSchema }) => ({
        name,
        type,
        description: about,
        defaultValue: JSON.parse(defaultJson) as Json,
        currentValue: JSON.parse(currentJson) as Json,
        isSet,
        ...(jsonSchema === undefined ? {} : { jsonSchema: JSON.parse(jsonSchema) as Json }),
      }),
    ),
    featureFlags: set.featureFlags.map((flag) => ({ ...flag })),
    ...present({ changedAt, changedBy }),
  }
}
