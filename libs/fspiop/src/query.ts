/** Parses the query of a request into typed parameters, or into the one error returned to the sender. */
import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import { type FaultCodes, firstFault } from './bodies/faults.ts'

export type QueryReading<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly code: ErrorCode; readonly detail: string }

/**
 * Parses the parameters of the schema; others are ignored. `query` is without its "?". Codes: missing
 * 3102 first, given twice or malformed 3101, or the code of the element.
 */
export function readQuery<Schema extends z.ZodObject>(
  schema: Schema,
  query: string,
  codes?: FaultCodes,
): QueryReading<z.output<Schema>> {
  const sent = new URLSearchParams(query)
  const parameters: Record<string, string> = {}
  for (const name of Object.keys(schema.shape)) {
    const [value, another] = sent.getAll(name)
    if (another !== undefined) {
      return { ok: false, code: '3101', detail: `query parameter ${name}: given twice` }
    }
    if (value !== undefined) parameters[name] = value
  }
  const reading = schema.safeParse(parameters)
  if (reading.success) return { ok: true, value: reading.data }
  const { code, detail } = firstFault(reading.error.issues, parameters, codes)
  return { ok: false, code, detail: `query parameter ${detail.slice(1)}` }
}
