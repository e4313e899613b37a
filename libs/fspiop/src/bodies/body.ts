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
} from '../signatures/encrypted.ts'
import type { ErrorCode } from '../errors.ts'
import { documentPath, type FaultCodes, firstFault } from './faults.ts'
import { confusable, membersIn, repeatedMember } from '../members.ts'

export type BodyReading<Value> =
  | { readonly ok: true; readonly value: Value; readonly json: unknown }
  | { readonly ok: false; readonly code: ErrorCode; readonly detail: string }

const depth_max = 32
const unstorablePattern = /[\0\p{Surrogate}]/u

/**
 * Parses a body with a message's schema. `value` is the output of the schema, `json` the body as sent
 * (for `payloadHash`). Codes: not UTF-8, not JSON, not an object, a member given twice, wrong format
 * 3101; missing 3102; wrong length 3100; too many elements 3103; other codes by `FaultCodes`. A missing element is reported
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
  const fault = forbiddenContentOf(json, text)
  if (fault !== undefined) return malformed(fault)
  return encrypted.length === 0
    ? judge(schema, json, codes)
    : judgePartlyEncrypted(schema, json, encrypted, codes)
}

/** The same for parsed JSON. */
export function readJson<Schema extends z.ZodType>(
  schema: Schema,
  json: object,
): BodyReading<z.output<Schema>> {
  const fault = walk(json, 1, { escaped: true, members: 0 })
  return fault === undefined ? judge(schema, json, 'specification') : malformed(fault)
}

function judge<Schema extends z.ZodType>(
  schema: Schema,
  json: object,
  codes: FaultCodes,
): BodyReading<z.output<Schema>> {
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

interface Walk {
  /** The text has \u escapes, or is unknown, so it can contain NUL and lone surrogates. */
  readonly escaped: boolean
  /** The members of all objects so far. */
  members: number
}

/**
 * Checks that no schema makes, because unknown members are legal. Of a member that is given twice one
 * parser takes the first value and another the last, and some ignore the case of names: the hub and the
 * FSP that the body is relayed to would read different messages. JSON.parse keeps one of the two, so
 * the object has fewer members than the text.
 */
function forbiddenContentOf(json: object, text: string): string | undefined {
  const walked: Walk = { escaped: text.includes('\\u'), members: 0 }
  const fault = walk(json, 1, walked)
  if (fault !== undefined) return fault
  if (membersIn(text) === walked.members) return undefined
  return `${repeatedMember(text) ?? 'a member'} is given twice`
}

/**
 * Nesting is bounded, because bodies are walked recursively. Members with the names of JavaScript's own
 * properties are refused, not dropped: the body is relayed unchanged to FSPs whose parsers may fail on
 * them, and no message uses them. NUL and lone surrogates can neither be stored as text nor written as
 * UTF-8.
 */
function walk(value: unknown, depth: number, walked: Walk): string | undefined {
  if (typeof value === 'string') return unstorable(value, walked)
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > depth_max) return `nested deeper than ${depth_max}`
  if (Array.isArray(value)) {
    for (const item of value) {
      const fault = walk(item, depth + 1, walked)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  const names = Object.keys(value)
  walked.members += names.length
  for (const name of names) {
    if (name === '__proto__' || name === 'constructor' || name === 'prototype') {
      return `a member is named ${name}`
    }
    const fault =
      unstorable(name, walked) ??
      walk((value as Readonly<Record<string, unknown>>)[name], depth + 1, walked)
    if (fault !== undefined) return fault
  }
  const pair = confusable(names)
  return pair === undefined ? undefined : `${pair.join(' and ')} differ in case only`
}

function unstorable(text: string, { escaped }: Walk): string | undefined {
  return escaped && unstorablePattern.test(text)
    ? 'a text holds NUL or half a surrogate pair'
    : undefined
}
