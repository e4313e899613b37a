/**
 * Reads the hub's messages to an FSP strictly: a message whose headers, signature, states or codes
 * are not exactly as the API defines them is refused. Its handler decides what it means.
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
import type { VerifySignature } from './signature-verification.ts'
import type { FieldEncryption } from './field-encryption.ts'
import { continueFrom } from './trace.ts'

/** A well-formed message whose sender is verified, as far as the keys allow. */
export interface Received {
  /** The FSP that sent the message, or the hub. */
  readonly source: string
  readonly parameters: PathParameters
  /** Without the question mark. */
  readonly query: string
  readonly body: Buffer
  /** The body with its encrypted fields in clear, where it had any. */
  readonly clear: object | undefined
}

/** What a handler did with a message: handled it, left it to another handler, or rejected it. */
export type HandlerResult = 'HANDLED' | 'NOT_MINE' | { readonly rejected: string }

export type InboundHandler = (message: Received) => HandlerResult

/** The handlers by operation; operations without one are not served. */
export type InboundHandlers = Readonly<Partial<Record<Operation, InboundHandler>>>

/** The answer to the hub: a status alone when the message was accepted, else with the error. */
export interface InboundAnswer {
  readonly status: number
  readonly error?: ErrorInformation
}

export interface InboundParts {
  /** The FSP that messages must be addressed to. */
  readonly name: string
  readonly handlers: InboundHandlers
  readonly verify: VerifySignature
  readonly fieldEncryption: FieldEncryption
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
): Promise<InboundAnswer> {
  const { method, target, headers, body } = message
  const mark = target.indexOf('?')
  const match = matchPath(method, mark === -1 ? target : target.slice(0, mark))
  if (match.kind === 'PATH_UNKNOWN') return refused(404, '3002', 'the path is unknown')
  if (match.kind === 'METHOD_UNKNOWN') return refused(405, '3000', 'the method is unknown')
  const handler = parts.handlers[match.operation]
  if (handler === undefined) return refused(501, '2002', `${match.operation} is not served`)
  const check = checkHeaders(method as Method, match.resource, headers)
  if (!check.accepted) return refusedAs(check.refusal)
  if (match.fault !== undefined) return refusedAs(match.fault)
  const { source, destination, acceptVersion: version } = check
  if (destination !== undefined && destination !== parts.name) {
    return refused(400, '3100', `header fspiop-destination: this is ${parts.name}`)
  }
  const proof = await parts.verify(source, message)
  if (proof === 'KEYS_UNAVAILABLE')
    return refused(503, '2003', `the keys of ${source} cannot be read now`)
  if (proof !== 'VERIFIED') return refused(400, '3105', proof.rejected)
  const encryption = headers['fspiop-encryption']
  const opened = encryption && parts.fieldEncryption.decrypt(String(encryption), body)
  if (opened && 'why' in opened) return refused(400, '3100', opened.why)
  const received: Received = {
    source,
    parameters: match.parameters,
    query: mark === -1 ? '' : target.slice(mark + 1),
    body,
    clear: opened ? opened.body : undefined,
  }
  const asked = { resource: match.resource, version }
  const handled = continueFrom(headers, asked, () => handler(received))
  if (typeof handled !== 'string') return refused(400, '3100', handled.rejected)
  return { status: method === 'PUT' || method === 'PATCH' ? 200 : 202 }
}

/** Reads the body of a message with its schema, encrypted or not. */
export function bodyOf<Schema extends ZodType>(
  schema: Schema,
  { body, clear }: Received,
): BodyReading<output<Schema>> {
  return clear === undefined ? readBody(schema, body) : readJson(schema, clear)
}

/** The ID in the path of the message. Throws when the path has none. */
export function idOf({ parameters: { ID } }: Received): string {
  if (ID === undefined) throw new Error('the path has no id')
  return ID
}

function refusedAs({ status, code, detail, extensionList }: Refusal): InboundAnswer {
  return { status, error: errorInformation(code, detail, extensionList) }
}

function refused(status: number, code: ErrorCode, detail: string): InboundAnswer {
  return { status, error: errorInformation(code, detail) }
}
