/**
 * From the bytes of a body to a typed value, or to the one error that the sender is told. Bytes that
 * are relayed are never changed here: what is read serves the hub's own decisions only.
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
 * Reads a body against a message's schema. `value` is what the schema makes of it, `json` what was
 * sent (for `payloadHash`). Codes: not UTF-8, not JSON, no object, wrong form 3101; missing 3102;
 * wrong length 3100; too many elements 3103; other codes by `FaultCodes`. A missing element is told first, then the first fault in
 * the order of the document; `detail` begins with its path, as "/amount/currency".
 */
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Buffer,
  options?: { readonly codes?: FaultCodes; readonly mayBeList?: boolean },
): BodyReading<z.output<Schema>>
/**
 * The same for a body of which some members are ciphertext: these are left unjudged, with all below
 * them, and are absent from `value` (not from `json`). `encrypted` comes of `readEncryptedPaths`. A
 * listed member that is no text is 3101.
 */
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Buffer,
  options: {
    readonly encrypted: readonly EncryptedPath[]
    readonly codes?: FaultCodes
    /** A bare list is taken too, where the schema makes an object of it. */
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
  const harm = forbiddenContentOf(json, 1, escaped)
  return harm === undefined ? judgePartlyEncrypted(schema, json, encrypted, codes) : malformed(harm)
}

/** The same for JSON that has been parsed already. */
export function readJson<Schema extends z.ZodType>(
  schema: Schema,
  json: object,
): BodyReading<z.output<Schema>> {
  return judge(schema, json, true, 'specification')
}

/** Only texts with \u escapes, or of unknown origin, can hold what valid UTF-8 and JSON exclude. */
function judge<Schema extends z.ZodType>(
  schema: Schema,
  json: object,
  escaped: boolean,
  codes: FaultCodes,
): BodyReading<z.output<Schema>> {
  const harm = forbiddenContentOf(json, 1, escaped)
  if (harm !== undefined) return malformed(harm)
  const reading = schema.safeParse(json)
  if (reading.success) return { ok: true, value: reading.data, json }
  return { ok: false, ...firstFault(reading.error.issues, json, codes) }
}

/** Faults at or below an encrypted member are none: only who can decrypt it can judge it. */
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

/** What the schema makes of all members that it takes; the others are as they were sent. */
function partlyParsed(schema: z.ZodType, json: object): unknown {
  const parsed = schema._zod.run({ value: json, issues: [] }, { async: false })
  if (parsed instanceof Promise) throw new Error('no message has asynchronous checks')
  return parsed.value
}

function malformed(detail: string): BodyReading<never> {
  return { ok: false, code: '3101', detail }
}

/**
 * What no schema sees, because unknown members are legal. Nesting is bounded, for what walks a body
 * recurses. Members named as the language's own inner ones are refused rather than dropped: the body
 * is relayed as it is to FSPs whose parsers may trip over them, and no message has a use for them.
 * NUL and half surrogate pairs can neither be stored as text nor written as UTF-8.
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
      const harm = forbiddenContentOf(item, depth + 1, escaped)
      if (harm !== undefined) return harm
    }
    return undefined
  }
  for (const name of Object.keys(value)) {
    if (name === '__proto__' || name === 'constructor' || name === 'prototype') {
      return `a member is named ${name}`
    }
    const harm =
      forbiddenContentOf(name, depth, escaped) ??
      forbiddenContentOf((value as Readonly<Record<string, unknown>>)[name], depth + 1, escaped)
    if (harm !== undefined) return harm
  }
  return undefined
}
