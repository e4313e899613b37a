/**
 * The secrets of a component by name: what it registers, and which values a request sets or removes.
 * No refusal repeats a value.
 */
import { compareVersions } from '../../domain/configuration.ts'
import { refuse, type RefusedConfiguration } from '../../domain/refusal.ts'

export interface SecretKey {
  readonly name: string
  readonly description: string
  /** The component does not work without it. */
  readonly required: boolean
}

export interface SecretSet {
  readonly contextId: string
  /** Of the names. */
  readonly version: string
  /** In the order of their names, which are unique without regard to case. */
  readonly keys: readonly SecretKey[]
  /** Counts the changes of values. */
  readonly iterationNumber: number
}

export type NewSecrets = Omit<SecretSet, 'iterationNumber'>

export type SecretsRegistered =
  | RefusedConfiguration
  | { readonly type: 'UNCHANGED'; readonly set: SecretSet }
  /** `dropped`: the names that are gone; their values are deleted, which is a change of values. */
  | { readonly type: 'STORE'; readonly set: SecretSet; readonly dropped: readonly string[] }

/** A newer version keeps the values of the names that stay and drops the others. */
export function registerSecrets(
  stored: SecretSet | undefined,
  wanted: NewSecrets,
): SecretsRegistered {
  if (stored === undefined) {
    return { type: 'STORE', set: { ...wanted, iterationNumber: 0 }, dropped: [] }
  }
  const order = compareVersions(wanted.version, stored.version)
  const what = `${stored.contextId} has registered its secrets in version ${stored.version}`
  if (order < 0) return refuse('VERSION_OUTDATED', what)
  if (order === 0) {
    return JSON.stringify(wanted.keys) === JSON.stringify(stored.keys)
      ? { type: 'UNCHANGED', set: stored }
      : refuse('MODIFIED', `${what} with other names`)
  }
  const names = new Set(wanted.keys.map(({ name }) => name))
  const dropped = stored.keys.map(({ name }) => name).filter((name) => !names.has(name))
  return { type: 'STORE', set: { ...stored, ...wanted }, dropped }
}

export interface NewSecret {
  readonly name: string
  /** Null: it is removed. */
  readonly value: string | null
}

export type SecretsChecked =
  | RefusedConfiguration
  /** With the names as they are registered. */
  | { readonly type: 'CHECKED'; readonly newValues: readonly NewSecret[] }

/** All of the values or none. Names are found without regard to case. */
export function checkSecrets(
  { contextId, keys }: SecretSet,
  newValues: readonly NewSecret[],
): SecretsChecked {
  if (newValues.length === 0) return refuse('INVALID', 'newValues is empty')
  const found = new Map<string, NewSecret>()
  for (const { name, value } of newValues) {
    const key = keys.find((each) => each.name.toLowerCase() === name.toLowerCase())
    if (key === undefined) return refuse('INVALID', `${contextId} has no secret ${name}`)
    if (found.has(key.name)) return refuse('INVALID', `${key.name} is given twice`)
    found.set(key.name, { name: key.name, value })
  }
  return { type: 'CHECKED', newValues: [...found.values()] }
}
