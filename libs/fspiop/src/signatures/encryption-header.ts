/**
 * The FSPIOP-Encryption header: which fields of the body are ciphertext, and what their recipient needs
 * to decrypt them. The hub decrypts none; it needs the paths to exclude them from validation. FSPIOP
 * (Encryption) 4.
 */
import { type Refusal, refusal } from '../errors.ts'
import { repeatedMember } from '../members.ts'

/** One encrypted field; every member but the name is base64url without padding. */
export interface EncryptedField {
  /** The path from the root of the body, separated by dots: "payer.personalInfo". */
  readonly fieldName: string
  readonly encryptedKey: string
  readonly protectedHeader: string
  readonly initializationVector: string
  readonly authenticationTag: string
}

const header_max = 65_536
const fieldName_max = 512
const encodedPattern = /^[A-Za-z0-9_-]+$/
/** At most 32 segments, since no body is nested deeper. */
const pathPattern = /^[^.]+(?:\.[^.]+){0,31}$/

/**
 * Parses the header in both formats in use, that of the data model (`encryptedFields.encryptedField`)
 * and that of the published examples (`encryptedFields` is the list), each also with one object instead
 * of the list. Refusal 3101 for anything else, and when one path contains another: ciphertext has no
 * fields.
 */
export function readEncryptionHeader(
  text: string,
): { readonly fields: readonly EncryptedField[] } | Refusal {
  const entries = entriesOf(text)
  if (entries === undefined || entries.length === 0) return malformed('it lists no fields')
  const repeated = repeatedMember(text)
  if (repeated !== undefined) return malformed(`${repeated} is given twice`)
  const fields: EncryptedField[] = []
  for (const entry of entries) {
    const field = fieldOf(entry)
    if (typeof field === 'string') return malformed(field)
    fields.push(field)
  }
  const overlap = overlapOf(fields.map(({ fieldName }) => fieldName))
  return overlap === undefined ? { fields } : malformed(overlap)
}

/** Why these paths cannot all be encrypted in one body; `undefined` when they can. */
export function overlapOf(paths: readonly string[]): string | undefined {
  const known = new Set(paths)
  if (known.size < paths.length) return 'a field is listed twice'
  for (const path of paths) {
    for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
      const outer = path.slice(0, dot)
      if (known.has(outer)) return `${path} is part of ${outer}, which is encrypted as a whole`
    }
  }
  return undefined
}

function entriesOf(text: string): readonly unknown[] | undefined {
  if (text.length > header_max) return undefined
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  const inner = isRecord(json) ? json['encryptedFields'] : undefined
  const list =
    isRecord(inner) && Object.hasOwn(inner, 'encryptedField') ? inner['encryptedField'] : inner
  if (Array.isArray(list)) return list as readonly unknown[]
  return isRecord(list) ? [list] : undefined
}

/** The entry, or its fault. */
function fieldOf(entry: unknown): EncryptedField | string {
  if (!isRecord(entry)) return 'an entry is not an object'
  const { fieldName, encryptedKey, protectedHeader, initializationVector, authenticationTag } =
    entry
  if (typeof fieldName !== 'string' || fieldName.length > fieldName_max) {
    return `fieldName is not a text of 1 to ${fieldName_max} characters`
  }
  if (!pathPattern.test(fieldName)) return 'fieldName is not a path'
  if (!isEncoded(encryptedKey, 512)) return notEncoded('encryptedKey', 512)
  if (!isEncoded(protectedHeader, 1024)) return notEncoded('protectedHeader', 1024)
  if (!isEncoded(initializationVector, 128)) return notEncoded('initializationVector', 128)
  if (!isEncoded(authenticationTag, 128)) return notEncoded('authenticationTag', 128)
  return { fieldName, encryptedKey, protectedHeader, initializationVector, authenticationTag }
}

function isEncoded(value: unknown, length_max: number): value is string {
  return typeof value === 'string' && value.length <= length_max && encodedPattern.test(value)
}

function notEncoded(name: string, length_max: number): string {
  return `${name} is not base64url of 1 to ${length_max} characters`
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function malformed(why: string): Refusal {
  return refusal('3101', `header fspiop-encryption: ${why}`)
}

/**
 * FSPIOP-Encryption of a message that the hub makes from an FSP's by removing items of its list: field
 * names contain the positions of the items, which change. The header for a body whose `list` has the items at these positions of the original, in this order;
 * an undefined position is an item that is not in the original. With `includesOthers`, fields outside
 * the list are included unchanged. Undefined when nothing of the new body is encrypted, or the header
 * is invalid.
 */
export function renumberedEncryption(
  header: string | undefined,
  list: string,
  positions: readonly (number | undefined)[],
  includesOthers = true,
): string | undefined {
  if (header === undefined) return undefined
  const reading = readEncryptionHeader(header)
  if (!('fields' in reading)) return undefined
  const after = new Map(
    positions.flatMap((before, now) => (before === undefined ? [] : [[String(before), now]])),
  )
  const encryptedField = reading.fields.flatMap((field) => {
    const [first = '', position = '', ...rest] = field.fieldName.split('.')
    if (first !== list) return includesOthers ? field : []
    const now = after.get(position)
    return now === undefined ? [] : { ...field, fieldName: [list, now, ...rest].join('.') }
  })
  if (encryptedField.length === 0) return undefined
  return JSON.stringify({ encryptedFields: { encryptedField } })
}
