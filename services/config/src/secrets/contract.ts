/** From messages to secrets and requests, and back; the bounds of what comes from outside. */
import type {
  NewSecretValue,
  SecretRequest as RequestMessage,
  SecretSet as SetMessage,
} from '@causeway/protos'
import { isContext, isName, isVersion } from '../contract.ts'
import { refuse, type Refused } from '../domain/refused.ts'
import type { NewSecret, NewSecrets, SecretSet } from './domain/secrets.ts'
import type { SecretRequest, StoredSecret } from './store.ts'

const names_max = 100
const description_length_max = 1_000
const value_length_max = 16_384

/** The names that a component registers. */
export function readSecretSet(message: SetMessage): NewSecrets | Refused {
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

/** A refusal names the secret and never its value. */
export function readNewSecrets(values: readonly NewSecretValue[]): readonly NewSecret[] | Refused {
  if (values.length > names_max) return invalid(`at most ${names_max} secrets can be set at once`)
  const read: NewSecret[] = []
  for (const { name, value: sent } of values) {
    const value = sent ?? null
    if (!isName(name)) return invalid('a name has 1 to 64 letters, digits, _, . and -')
    const length = value?.length ?? 1
    if (length < 1 || length > value_length_max) {
      return invalid(`the value of ${name} has 1 to ${value_length_max} characters`)
    }
    read.push({ name, value })
  }
  return read
}

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

export function secretRequestMessage(request: SecretRequest): RequestMessage {
  const { id, contextId, changes, state, createdBy, createdAt, decidedBy, decidedAt, note } =
    request
  return {
    requestId: id,
    boundedContextId: contextId,
    changes: changes.map((change) => ({ ...change })),
    state,
    createdBy,
    createdAt: createdAt.toISOString(),
    ...(decidedBy === null || decidedAt === null
      ? {}
      : { decidedBy, decidedAt: decidedAt.toISOString() }),
    note,
  }
}

function invalid(detail: string): Refused {
  return refuse('INVALID', detail)
}
