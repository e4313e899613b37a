/**
 * What a managed key may be used for, and when. A key protects nothing new after its end, but still
 * verifies and decrypts what it protected before: the state `deactivated` of NIST SP 800-57 part 1, 7.3.
 */
import type { KeyDefinitionType, KeyDefinitionUsage } from '@causeway/protos'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'

export type Usage = KeyDefinitionUsage
export type KeyType = KeyDefinitionType

export interface KeyDefinition {
  readonly id: string
  readonly label: string
  readonly usage: Usage
  readonly type: KeyType
  readonly validFrom: Date
  /** null: no end. */
  readonly validTo: Date | null
  readonly createdAt: Date
  readonly createdBy: string
}

/**
 * TDES is there for PIN blocks of other parties alone. A key that serves TLS signs nothing for callers:
 * with a signature over a digest of their choice they could stand in for the port.
 */
const usages: Readonly<Record<KeyType, readonly Usage[]>> = {
  AES: ['ENCRYPT', 'PIN', 'WRAP'],
  TDES: ['PIN'],
  EC: ['SIGN', 'TLS', 'WRAP'],
}

/** Printable ASCII, since people read it in tools of HSMs. */
const labelForm = /^[\x20-\x7e]{1,64}$/

export type Definition = Pick<KeyDefinition, 'label' | 'usage' | 'type' | 'validFrom' | 'validTo'>

export function faultOf(definition: Definition, now: Date): RefusedCommand | undefined {
  const { label, usage, type, validFrom, validTo } = definition
  if (!labelForm.test(label)) {
    return refuse('INVALID', 'label must have 1 to 64 printable ASCII characters')
  }
  if (!usages[type].includes(usage)) {
    return refuse('INVALID', `keys of type ${type} are for ${usages[type].join(', ')}`)
  }
  if (validTo === null) return undefined
  if (validTo <= validFrom) return refuse('INVALID', 'validTo must be later than validFrom')
  return validTo <= now ? refuse('INVALID', 'validTo must be in the future') : undefined
}

interface Action {
  readonly usage: Usage
  /** Whether it makes something that is protected by the key, and not only reads it. */
  readonly protects: boolean
  readonly words: string
}

export const actions = {
  SIGN: { usage: 'SIGN', protects: true, words: 'sign' },
  VERIFY: { usage: 'SIGN', protects: false, words: 'verify' },
  ENCRYPT: { usage: 'ENCRYPT', protects: true, words: 'encrypt' },
  DECRYPT: { usage: 'ENCRYPT', protects: false, words: 'decrypt' },
  // A translated PIN is used at once, so an ended key serves neither side.
  TRANSLATE: { usage: 'PIN', protects: true, words: 'translate PINs' },
  UNWRAP: { usage: 'WRAP', protects: true, words: 'wrap keys' },
  TERMINATE_TLS: { usage: 'TLS', protects: true, words: 'serve TLS' },
} as const satisfies Readonly<Record<string, Action>>

/** Undefined: the key may be used for the action now. */
export function reasonAgainst(
  { usage, validFrom, validTo }: Pick<KeyDefinition, 'usage' | 'validFrom' | 'validTo'>,
  action: keyof typeof actions,
  now: Date,
): RefusedCommand | undefined {
  const { usage: needed, protects, words } = actions[action]
  if (usage !== needed) return refuse('KEY_USAGE_WRONG', `a ${usage} key does not ${words}`)
  if (now < validFrom) return refuse('KEY_NOT_VALID', 'its validity has not begun')
  if (protects && validTo !== null && validTo <= now) {
    return refuse('KEY_NOT_VALID', `it ended and does not ${words} any more`)
  }
  return undefined
}

/** Whether keys of this definition may still be made. */
export function reasonAgainstNewKey(
  { type, validTo }: Pick<KeyDefinition, 'type' | 'validTo'>,
  wanted: readonly KeyType[],
  now: Date,
): RefusedCommand | undefined {
  if (!wanted.includes(type)) {
    return refuse('KEY_USAGE_WRONG', `its definition is for keys of type ${type}`)
  }
  return validTo !== null && validTo <= now
    ? refuse('KEY_NOT_VALID', 'its definition has ended')
    : undefined
}
