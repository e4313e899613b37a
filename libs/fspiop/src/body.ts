/**
 * Parses the bytes of a body into a typed value, or into the one error that is returned to the sender.
 * Relayed bytes are never changed: the value is for the hub's own decisions only.
 */
import { isUtf8 } from 'node:buffer'
import type { z } from 'zod'
import {
  type Clear,
  coveredBy,
  type EncryptedPath,
  unencryptedPath,
  withoutEncrypted,
} from './encrypted.ts'
import type { ErrorCode } from './errors.ts'
import { documentPath, type FaultCodes, firstFault } from './faults.ts'

export type BodyReading<Value> =
  | { readonly ok: true; readonly value: Value; readonly json: unknown }
  | { readonly ok: false; readonly code: ErrorCode; readonly detail: string }

const depth_max = 32
const unstorablePattern = /[\0\p{Surrogate}]/u

/**
 * Parses a body with a message's schema. `value` is the output of the schema, `json` the body as sent
 * (for `payloadHash`). Codes: not UTF-8, not JSON, not an object, wrong format 3101; missing 3102;
 * wrong length 3100; too many elements 3103; other codes by `FaultCodes`. A missing element is reported
 * first, otherwise the first fault in document order; `detail` begins with its path, such as
 * "/amount/currency".
 */
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Buffer,
  options?: { readonly codes?: FaultCodes; readonly mayBeList?: boolean },
): BodyReading<z.output<Schema>>
/**
 * The same for a body with encrypted members: they and everything below them are not validated, and are
 * absent from `value` (not from `json`). `encrypted` is the result of `readEncryptedPaths`. A listed
 * member that is not a string is 3101.
 */
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Buffer,
  options: {
    readonly encrypted: readonly EncryptedPath[]
    readonly codes?: FaultCodes
    /** Accepts an array as the body, when the schema converts it to an object. */
    readonly mayBeList?: boolean
  },
): BodyReading<Clear<z.output<Schema>>>
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Buffer,
  {
    encrypted = [],
    codes = 'specification',
    mayBeList = false,
  }: {
    readonly encrypted?: readonly EncryptedPath[]
    readonly codes?: FaultCodes
    readonly mayBeList?: boolean
  } = {},
): BodyReading<unknown> {
  if (!isUtf8(bytes)) return malformed('the body is not UTF-8')
  const text = bytes.toString('utf8')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return malformed('the body is not JSON')
  }
  if (typeof json !== 'object' || json === null || (Array.isArray(json) && !mayBeList)) {
    return malformed('the body is not a JSON object')
  }
  const escaped = text.includes('\\u')
  if (encrypted.length === 0) return judge(schema, json, escaped, codes)
  const fault = forbiddenContentOf(json, 1, escaped)
  return fault === undefined
    ? judgePartlyEncrypted(schema, json, encrypted, codes)
    : malformed(fault)
}

/** The same for parsed JSON. */
export function readJson<Schema extends z.ZodType>(
  schema: Schema,
  json: object,
): BodyReading<z.output<Schema>> {
  return judge(schema, json, true, 'specification')
}

/** `escaped`: the text has \u escapes, or is unknown, so it can contain NUL and lone surrogates. */
function judge<Schema extends z.ZodType>(
  schema: Schema,
  json: object,
  escaped: boolean,
  codes: FaultCodes,
): BodyReading<z.output<Schema>> {
  const fault = forbiddenContentOf(json, 1, escaped)
  if (fault !== undefined) return malformed(fault)
  const reading = schema.safeParse(json)
  if (reading.success) return { ok: true, value: reading.data, json }
  return { ok: false, ...firstFault(reading.error.issues, json, codes) }
}

/** Faults at or below an encrypted member are ignored: only its recipient can validate it. */
function judgePartlyEncrypted(
  schema: z.ZodType,
  json: object,
  encrypted: readonly EncryptedPath[],
  codes: FaultCodes,
): BodyReading<unknown> {
  const wrong = unencryptedPath(json, encrypted)
  if (wrong !== undefined) return malformed(`/${wrong.join('/')}: not ciphertext`)
  const reading = schema.safeParse(json)
  if (reading.success) return { ok: true, value: withoutEncrypted(reading.data, encrypted), json }
  const isCovered = coveredBy(json, encrypted)
  const issues = reading.error.issues.filter((issue) => !isCovered(documentPath(issue.path, json)))
  if (issues.length > 0) return { ok: false, ...firstFault(issues, json, codes) }
  return { ok: true, value: withoutEncrypted(partlyParsed(schema, json), encrypted), json }
}

/** The output of the schema for the valid members; the others are as sent. */
function partlyParsed(schema: z.ZodType, json: object): unknown {
  const parsed = schema._zod.run({ value: json, issues: [] }, { async: false })
  if (parsed instanceof Promise) throw new Error('no message has asynchronous checks')
  return parsed.value
}

function malformed(detail: string): BodyReading<never> {
  return { ok: false, code: '3101', detail }
}

/**
 * Checks that no schema makes, because unknown members are legal. Nesting is bounded, because bodies are
 * walked recursively. Members with the names of JavaScript's own properties are refused, not dropped:
 * the body is relayed unchanged to FSPs whose parsers may fail on them, and no message uses them. NUL
 * and lone surrogates can neither be stored as text nor written as UTF-8.
 */
function forbiddenContentOf(value: unknown, depth: number, escaped: boolean): string | undefined {
  if (typeof value === 'string') {
    if (!escaped || !unstorablePattern.test(value)) return undefined
    return 'a text holds NUL or half a surrogate pair'
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > depth_max) return `nested deeper than ${depth_max}`
  if (Array.isArray(value)) {
    for (const item of value) {
      const fault = forbiddenContentOf(item, depth + 1, escaped)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  for (const name of Object.keys(value)) {
    if (name === '__proto__' || name === 'constructor' || name === 'prototype') {
      return `a member is named ${name}`
    }
    const fault =
      forbiddenContentOf(name, depth, escaped) ??
      forbiddenContentOf((value as Readonly<Record<string, unknown>>)[name], depth + 1, escaped)
    if (fault !== undefined) return fault
  }
  return undefined
}
