/**
 * FSPIOP-Encryption of a message that the hub makes from an FSP's by removing items of its list: field
 * names contain the positions of the items, which change. FSPIOP (Encryption) 4.
 */
import { readEncryptionHeader } from './encryption-header.ts'

/**
 * The header for a body whose `list` has the items at these positions of the original, in this order;
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
