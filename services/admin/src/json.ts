/**
 * JSON without loss of digits: numbers are read as text, and amounts are printed from bigint. An
 * amount is never converted to floating point.
 */
import { jsonNumber } from '@causeway/money'

/** The member in which `readJson` stores the text of a number. */
export const numberMember = 'number as written'

/**
 * Values that can be written: bigints are amounts in ten-thousandths, numbers are ids, counts and
 * flags.
 */
export type Json =
  | string
  | boolean
  | null
  | number
  | bigint
  | readonly Json[]
  | { readonly [name: string]: Json }

const stringsAndNumbers = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

/**
 * Parses JSON; each number becomes `{[numberMember]: text}`. A client that sends such an object
 * itself gets the same result as for the number. Throws SyntaxError.
 */
export function readJson(text: string): unknown {
  JSON.parse(text)
  return JSON.parse(
    text.replace(stringsAndNumbers, (token) =>
      token.startsWith('"') ? token : `{"${numberMember}":"${token}"}`,
    ),
  )
}

export function writeJson(value: Json): string {
  if (typeof value === 'bigint') return jsonNumber(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(writeJson).join(',')}]`
  const members = Object.entries(value)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`).join(',')}}`
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value)
}
