/**
 * FSPIOP-Encryption of a message that the hub makes out of an FSP's by leaving items of its list out:
 * fields are named by the positions of their items, which are others then. FSPIOP (Encryption) 4.
 */
import { readEncryptionHeader } from './encryption-header.ts'

/**
 * The header for a body whose `list` is made of the items at these positions of the original, in this
 * order; undefined for a position of the new list that holds none of them. What lies outside the list
 * stays as it was when `keepsRest`. Undefined when nothing of the new body is encrypted, or the header
 * cannot be read.
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
