/**
 * What the hub sends to an FSP, read strictly: a careful FSP refuses a message whose headers, signature,
 * states or codes are not exactly what the API says. What a message means is said by who hears it.
 */
import {
  type BodyReading,
  checkHeaders,
  type ErrorCode,
  type ErrorInformation,
  errorInformation,
  type Headers,
  matchPath,
  type Method,
  type Operation,
  type PathParameters,
  readBody,
  readJson,
  type Refusal,
} from '@causeway/fspiop'
import type { output, ZodType } from 'zod'
import type { Prove } from './proof.ts'
import type { Secrecy } from './secrecy.ts'

/** A message whose form is right and whose sender is proven, as far as that can be. */
export interface Received {
  /** Of the FSP that sent it, or of the hub. */
  readonly source: string
  readonly parameters: PathParameters
  /** Without its question mark. */
  readonly query: string
  readonly body: Buffer
  /** The body with its encrypted fields in clear, where there were any. */
  readonly clear: object | undefined
}

/** What was made of a message: it was heard, it was meant for others, or it is not believed. */
export type Hearing = 'HEARD' | 'NOT_MINE' | { readonly disbelieved: string }

export type Hear = (message: Received) => Hearing

/** Whoever waits for messages says what is to be done with which; all others are not served. */
export type Hearers = Readonly<Partial<Record<Operation, Hear>>>

/** The answer to the hub: a status alone when the message was believed, else with the error. */
export interface Judgement {
  readonly status: number
  readonly error?: ErrorInformation
}

export interface InboundParts {
  /** The FSP that messages must be for. */
  readonly name: string
  readonly hearers: Hearers
  readonly prove: Prove
  readonly secrecy: Secrecy
}

export interface InboundMessage {
  readonly method: string
  /** Path and query, from the resource name on. */
  readonly target: string
  /** Names in lower case. */
  readonly headers: Headers
  /** Exactly as received; empty when there is none. */
  readonly body: Buffer
}

export async function takeInbound(
  parts: InboundParts,
  message: InboundMessage,
): Promise<Judgement> {
  const { method, target, headers, body } = message
  const mark = target.indexOf('?')
  const match = matchPath(method, mark === -1 ? target : target.slice(0, mark))
  if (match.kind === 'PATH_UNKNOWN') return refused(404, '3002', 'the path is unknown')
  if (match.kind === 'METHOD_UNKNOWN') return refused(405, '3000', 'the method is unknown')
  const hear = parts.hearers[match.operation]
  if (hear === undefined) return refused(501, '2002', `${match.operation} is not served`)
  const check = checkHeaders(method as Method, match.resource, headers)
  if (!check.accepted) return refusedAs(check.refusal)
  if (match.fault !== undefined) return refusedAs(match.fault)
  const { source, destination } = check
  if (destination !== undefined && destination !== parts.name) {
    return refused(400, '3100', `header fspiop-destination: this is ${parts.name}`)
  }
  const proof = await parts.prove(source, message)
  if (proof === 'NOT_NOW') return refused(503, '2003', `the keys of ${source} cannot be told`)
  if (proof !== 'PROVEN') return refused(400, '3105', proof.disbelieved)
  const encryption = headers['fspiop-encryption']
  const opened = encryption && parts.secrecy.reveal(String(encryption), body)
  if (opened && 'why' in opened) return refused(400, '3100', opened.why)
  const hearing = hear({
    source,
    parameters: match.parameters,
    query: mark === -1 ? '' : target.slice(mark + 1),
    body,
    clear: opened ? opened.body : undefined,
  })
  if (typeof hearing !== 'string') return refused(400, '3100', hearing.disbelieved)
  return { status: method === 'PUT' || method === 'PATCH' ? 200 : 202 }
}

/** The body of a message against its schema, encrypted or not. */
export function bodyOf<Schema extends ZodType>(
  schema: Schema,
  { body, clear }: Received,
): BodyReading<output<Schema>> {
  return clear === undefined ? readBody(schema, body) : readJson(schema, clear)
}

/** The id in the path of a message that has one. */
export function idOf({ parameters: { ID } }: Received): string {
  if (ID === undefined) throw new Error('the path has no id')
  return ID
}

function refusedAs({ status, code, detail }: Refusal): Judgement {
  return refused(status, code, detail)
}

function refused(status: number, code: ErrorCode, detail: string): Judgement {
  return { status, error: errorInformation(code, detail) }
}
