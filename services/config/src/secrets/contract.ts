/** From messages to secrets, and back; the bounds of what comes from outside. */
import type { SecretSet as SetMessage } from '@causeway/protos'
import { z } from 'zod'
import { isContext, isName, isVersion } from '../contract.ts'
import { refuse, type RefusedConfiguration } from '../domain/refusal.ts'
import type { NewSecret, NewSecrets, SecretSet } from './domain/secrets.ts'
import type { StoredSecret } from './store.ts'

const names_max = 100
const description_length_max = 1_000
const value_length_max = 16_384

/** The names that a component registers. */
export function readSecretSet(message: SetMessage): NewSecrets | RefusedConfiguration {
  const { boundedContextId: contextId, version, keys } = message
  if (!isContext(contextId)) return invalid('boundedContextId has 1 to 64 letters, digits, _ and -')
  if (!isVersion(version)) return invalid('version has three numbers: 1.0.0')
  if (keys.length > names_max) return invalid(`at most ${names_max} secrets can be registered`)
  if (new Set(keys.map(({ name }) => name.toLowerCase())).size < keys.length) {
    return invalid('two secrets have the same name')
  }
  for (const { name, description } of keys) {
    if (!isName(name)) return invalid(`${name} is not a name`)
    if (description.length > description_length_max) {
      return invalid(`the description of ${name} has over ${description_length_max} characters`)
    }
  }
  const sorted = keys
    .map(({ name, description, required }) => ({ name, description, required }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  return { contextId, version, keys: sorted }
}

/** A request to set or remove secrets. A name is a secret that is set or one that is removed. */
export interface SecretsContent {
  readonly boundedContextId: string
  readonly set: readonly string[]
  readonly removed: readonly string[]
  /** With the values; undefined where no value is shown. */
  readonly newValues?: readonly NewSecret[]
}

/** An error never repeats a value. */
export const secretsContent: z.ZodType<SecretsContent> = z
  .strictObject({
    boundedContextId: z.string(),
    newValues: z
      .array(
        z.strictObject({
          name: z.string().refine(isName, { error: 'has 1 to 64 letters, digits, _, . and -' }),
          /** null: it is removed. */
          value: z.string().min(1).max(value_length_max).nullable(),
        }),
      )
      .max(names_max),
  })
  .transform(({ boundedContextId, newValues }) => ({
    boundedContextId,
    set: newValues.filter(({ value }) => value !== null).map(({ name }) => name),
    removed: newValues.filter(({ value }) => value === null).map(({ name }) => name),
    newValues,
  }))

/** @param stored the values of this set and of others */
export function secretSetMessage(set: SecretSet, stored: readonly StoredSecret[]): SetMessage {
  const { contextId, version, iterationNumber, keys } = set
  return {
    boundedContextId: contextId,
    version,
    iterationNumber,
    keys: keys.map((key) => {
      const value = stored.find((each) => each.contextId === contextId && each.name === key.name)
      return {
        ...key,
        isSet: value !== undefined,
        ...(value === undefined
          ? {}
          : { changedAt: value.changedAt.toISOString(), changedBy: value.changedBy }),
      }
    }),
  }
}

function invalid(detail: string): RefusedConfiguration {
  return refuse('INVALID', detail)
}
