/**
 * JSON without losing a digit: numbers are read as the text that was sent, and money is printed from
 * its bigint. A floating-point number never stands between a client and an amount.
 */
import { jsonNumber } from '@causeway/money'

/** The member under which `readJson` leaves the text of a number. */
export const numberMember = 'number as written'

/** What can be written: bigints are amounts in ten-thousandths, numbers are ids, counts and flags. */
export type Json =
  string | boolean | null | number | bigint | readonly Json[] | { readonly [name: string]: Json }

const stringsAndNumbers = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

/**
 * Parses JSON; each number comes back as `{[numberMember]: text}`. Who sends such an object himself
 * gets what he would get for the number. Throws SyntaxError.
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
