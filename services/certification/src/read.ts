/** Reads the FSP's messages and answers for the cases; what cannot be read fails the case. */
import { readBody } from '@causeway/fspiop'
import type { output, ZodType } from 'zod'
import { NotRun, Unmet } from './case.ts'
import { describe, describeAnswer, type Matches } from './kit.ts'
import { type FspResponse, jsonIn, type ReceivedRequest } from './peer.ts'

/** The body of a message, by its schema of the API. */
export function bodyOf<Schema extends ZodType>(
  schema: Schema,
  message: ReceivedRequest,
): output<Schema> {
  const reading = readBody(schema, message.body)
  if (!reading.ok) throw new Unmet(`a valid body (${reading.detail})`, describe(message))
  return reading.value
}

export const is =
  (method: string, path: string): Matches =>
  (message) =>
    message.method === method && message.path === path

/** The answer to a request about an id: PUT of the resource, or its error. */
export const isAnswer =
  (path: string): Matches =>
  (message) =>
    message.method === 'PUT' && (message.path === path || message.path === `${path}/error`)

/** A member of the JSON of a message, by its path; undefined when there is none. */
export function at(json: unknown, ...path: readonly (string | number)[]): unknown {
  let value = json
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Readonly<Record<string, unknown>>)[key]
  }
  return value
}

/** The error code in a body. */
function codeIn(json: unknown): unknown {
  return at(json, 'errorInformation', 'errorCode')
}

/** The refusal has this status and one of these codes. */
export function expectRefusal(
  answer: FspResponse | undefined,
  status: number,
  codes: readonly string[],
): void {
  const code = answer === undefined ? undefined : codeIn(jsonIn(answer.body))
  if (answer?.status === status && typeof code === 'string' && codes.includes(code)) return
  throw new Unmet(`${status} with ${codes.join(' or ')}`, describeAnswer(answer))
}

/** The error callback has one of these codes; a code alone of a class: `51`. */
export function expectError(message: ReceivedRequest, codes: readonly string[]): void {
  const code = codeIn(message.json)
  const isError = message.path.endsWith('/error') && typeof code === 'string'
  if (isError && codes.some((each) => code.startsWith(each))) return
  throw new Unmet(`an error ${codes.join(' or ')}`, describe(message))
}

export function ensure(fulfilled: boolean, expected: string, seen: string): void {
  if (!fulfilled) throw new Unmet(expected, seen)
}

/** What a setting names, or the case is not run. */
export function need<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new NotRun(what)
  return value
}

/** 501 and 404 say that the FSP does not serve it, so there is nothing to judge. */
export function servedOrNotRun(answer: FspResponse | undefined, what: string): void {
  if (answer?.status === 501 || answer?.status === 404) {
    throw new NotRun(`the FSP does not serve ${what}: it answered ${answer.status}`)
  }
}
