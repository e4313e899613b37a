/**
 * The administration API over HTTP: Express finds the operation; all checks of a request before its
 * operation are here, in one order for every operation.
 */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { asOperator } from '@causeway/grpc'
import { foreignPage, retryAfter, type WithoutBase } from '@causeway/http'
import {
  isOutage,
  withOrigin,
  type Logger,
  type Origin,
  type SecurityEvents,
} from '@causeway/process'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { refused, type OperationResult, type File } from './answer.ts'
import { consoleFiles } from './console.ts'
import { errorAnswer, type Compatibility, type Reason } from './contract.ts'
import { read, type Read } from './fields.ts'
import { readJson, writeJson } from './json.ts'
import type { Attempts } from './access/attempts.ts'
import { securityTypeOf } from './access/security-events.ts'
import { operatorHeader, type Caller, type Guard } from './access/guard.ts'
import { networkOf } from './access/network.ts'
import { open, privilegeFor, privilegesToAsk, type GuardedOperation } from './access/privileges.ts'
import { pathOf, type Operation } from './operation.ts'

export interface HttpOptions {
  readonly guard: Guard
  /** Nobody logs in, so that a web page on this machine could be the operator. */
  readonly refusesForeignPages: boolean
  readonly attempts: Attempts
  /** Whether the last address in X-Forwarded-For is that of the client. */
  readonly trustsForwardedAddress: boolean
  /** Whether browsers reach the port by https, itself or its gateway. */
  readonly isHttps: boolean
  readonly compatibility: Compatibility
  /** The participant that a path names. */
  readonly participantNamed: (name: string) => string
  readonly withoutBase: WithoutBase
  readonly security: SecurityEvents
  readonly log: Logger
}

/** Of an operation that names no other bound. */
const body_bytes_max = 1024 * 1024

export function operatorApp(
  operations: readonly GuardedOperation[],
  options: HttpOptions,
): Express {
  const app = express()
  app.disable('x-powered-by')
  app.enable('case sensitive routing')
  app.set('query parser', 'simple')
  const send = (response: Response, answer: OperationResult) => {
    write(response, answer, options.compatibility)
  }
  app.use(harden(options))
  app.use((request, response, next) => {
    const foreign = options.refusesForeignPages ? foreignPage(request, true) : undefined
    if (foreign !== undefined) return send(response, refused('FOREIGN_PAGE', foreign))
    request.url = options.withoutBase(request.url)
    next()
  })
  app.use('/console', consoleFiles())
  app.param('name', (request, _response, next, name: string) => {
    const isParticipant = request.path.startsWith('/participants/')
    if (isParticipant) request.params['name'] = options.participantNamed(name)
    next()
  })
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const ofPath = operations.filter((operation) => operation.path === path)
    const route = app.route(path)
    for (const operation of ofPath) {
      const method = operation.method.toLowerCase() as Lowercase<Operation['method']>
      const callers = new WeakMap<Request, Caller>()
      const raw = bodyReader(operation)
      const ask: RequestHandler = async (request, response, next) => {
        const { authorization } = request.headers
        const sent = { authorization, operator: request.get(operatorHeader) }
        const caller = await options.guard.check(privilegesToAsk(operation), sent)
        if (caller.outcome === 'refused') {
          note(caller, operation, request, caller.actor ?? '', options)
          return send(response, caller)
        }
        callers.set(request, caller)
        next()
      }
      // The body of an unauthenticated request is not read.
      route[method](ask, raw, async (request, response) => {
        const caller = callers.get(request)
        if (caller === undefined) throw new Error('the caller was not checked')
        const answer = await run(operation, request, caller, options)
        note(answer, operation, request, caller.actor, options)
        send(response, answer)
      })
    }
    const allow = ofPath.map(({ method }) => method).join(', ')
    route.all((request, response) => {
      response.setHeader('allow', allow)
      send(response, refused('METHOD_UNKNOWN', `${request.method} is not one of ${allow}`))
    })
  }
  app.use((request, response) => {
    send(response, refused('URI_UNKNOWN', request.path))
  })
  app.use(unreadable(send))
  return app
}

function bodyReader({ about }: Operation): RequestHandler {
  return express.raw({ type: () => true, limit: about.body_bytes_max ?? body_bytes_max })
}

/** Of every answer: it has the type that it names, is in no frame, and stays https. */
function harden({ isHttps }: HttpOptions): RequestHandler {
  return (_request, response, next) => {
    response.setHeader('x-content-type-options', 'nosniff')
    response.setHeader('referrer-policy', 'no-referrer')
    response.setHeader('content-security-policy', nothing)
    if (isHttps) response.setHeader('strict-transport-security', 'max-age=31536000')
    next()
  }
}

async function run(
  operation: GuardedOperation,
  request: Request,
  caller: Caller,
  options: HttpOptions,
): Promise<OperationResult> {
  const { guard, log } = options
  const address = addressOf(request, options)
  const call = readCall(operation, request, caller, networkOf(address))
  if (call.outcome === 'refused') return call
  const needed = privilegeFor(operation, call.value.body)
  if (!caller.may(needed)) return refused('PRIVILEGE_MISSING', needed)
  try {
    const answer = await withOrigin(originOf(operation, caller, address), () =>
      operation.about.isLogIn === true
        ? logIn(operation, call.value, options)
        : asOperator({ token: caller.token }, () => operation.run(call.value)),
    )
    if (operation.changesAccess) await guard.renew()
    return answer
  } catch (error) {
    const what = `${operation.method} ${operation.path}`
    if (isOutage(error)) {
      log.warn({ err: error }, `${what}: a service did not answer`)
      return refused('UNAVAILABLE', 'try again later')
    }
    log.error({ err: error }, `${what} failed`)
    return refused('FAULT')
  }
}

/** A refusal that indicates an attack is a security event. */
function note(
  answer: OperationResult,
  operation: GuardedOperation,
  request: Request,
  actor: string,
  options: HttpOptions,
): void {
  const type = answer.outcome === 'refused' ? securityTypeOf(answer.reason) : undefined
  if (answer.outcome !== 'refused' || type === undefined) return
  const body = operation.about.isLogIn === true ? readBody(operation, request) : undefined
  const claimed = body?.outcome === 'read' ? nameIn(body.value) : ''
  options.security.tell({
    type,
    reason: answer.reason,
    actor: claimed === '' ? actor : claimed,
    address: ipv4Of(addressOf(request, options)),
    target: `${operation.method} ${operation.path}`,
  })
}

/** What audit entries tell about the caller; one that logs in has no name yet. */
function originOf({ privilege }: GuardedOperation, caller: Caller, address: string): Origin {
  return {
    actor: privilege === open ? '' : caller.actor,
    kind: caller.isProgram ? 'PROGRAM' : 'PERSON',
    application: 'admin',
    roles: caller.roles,
    session: caller.session,
    address: ipv4Of(address),
  }
}

/** An IPv4 address in the notation of IPv6 in its own. */
function ipv4Of(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '')
}

type OperationCall = Parameters<Operation['run']>[0]

/** After failures of the same address a log-in waits; to begin one (201) counts like a failure. */
async function logIn(
  operation: Operation,
  call: OperationCall,
  { attempts }: HttpOptions,
): Promise<OperationResult> {
  const by = { address: call.address, name: nameIn(call.body) }
  if (!(await attempts.admit(by))) return refused('BUSY', 'too many log-ins wait')
  try {
    const answer = await operation.run(call)
    if (isFailure(answer)) attempts.failed(by)
    else if (answer.outcome === 'answered') attempts.succeeded(by)
    return answer
  } finally {
    attempts.ended(by)
  }
}

function isFailure(answer: OperationResult): boolean {
  if (answer.outcome === 'answered') return answer.status === 201
  return answer.outcome === 'refused' && wrong.has(answer.reason)
}

const wrong: ReadonlySet<Reason> = new Set(['SECRET_WRONG', 'LOCKED', 'PROOF_INVALID'])

function nameIn(body: unknown): string {
  const name: unknown =
    typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined
  return typeof name === 'string' ? name : ''
}

function addressOf(request: Request, { trustsForwardedAddress }: HttpOptions): string {
  const forwarded = trustsForwardedAddress ? request.get('x-forwarded-for') : undefined
  return forwarded?.split(',').at(-1)?.trim() ?? request.socket.remoteAddress ?? ''
}

function readCall(
  operation: Operation,
  request: Request,
  { actor, token }: Caller,
  address: string,
): Read<OperationCall> {
  const types = ['json', ...(operation.about.files ?? [])]
  const wanted = request.accepts(types) || (acceptsVendorJson(request) && 'json')
  if (wanted === false) return refused('NOT_ACCEPTABLE', 'answers are application/json')
  if (needsJson(operation, request) && !isJson(request.headers['content-type'] ?? '')) {
    return refused('NOT_JSON', 'Content-Type must be application/json')
  }
  const inPath = read(pathOf(operation), request.params)
  if (inPath.outcome === 'refused') return inPath
  const inQuery = read(operation.query, request.query)
  if (inQuery.outcome === 'refused') return inQuery
  const inBody = readBody(operation, request)
  if (inBody.outcome === 'refused') return inBody
  return {
    outcome: 'read',
    value: {
      ...inPath.value,
      actor,
      token,
      address,
      newId: randomUUID(),
      sent: sentIn(request),
      wanted,
      query: inQuery.value,
      body: inBody.value,
      header: (name) => request.get(name) ?? '',
    },
  }
}

function sentIn({ url, body }: Request): OperationCall['sent'] {
  return { uri: url, body: Buffer.isBuffer(body) ? body.toString('utf8') : '' }
}

/**
 * Every POST and every body must declare JSON. A page of another origin cannot send that without a
 * CORS preflight, so it cannot make requests in an operator's name.
 */
function needsJson({ method, body, about }: Operation, request: Request): boolean {
  if (about.takesBasic === true && basicOf(request) !== undefined && isEmpty(request)) return false
  return method === 'POST' || (body !== null && !isEmpty(request))
}

function isEmpty({ body }: Request): boolean {
  return !Buffer.isBuffer(body) || body.length === 0
}

/** Whether a media type, parameters aside, is application/json or any application/…+json. */
function isJson(type: string): boolean {
  const end = type.indexOf(';')
  const plain = (end < 0 ? type : type.slice(0, end)).trim().toLowerCase()
  return plain === 'application/json' || /^application\/[^\s/]+\+json$/.test(plain)
}

/** Clients of other hub interfaces accept the media types of those, which are JSON as well. */
function acceptsVendorJson({ headers: { accept = '' } }: Request): boolean {
  return accept.split(',').some(isJson)
}

function readBody({ body: schema, about }: Operation, request: Request): Read<unknown> {
  if (schema === null) return { outcome: 'read', value: undefined }
  const bytes: unknown = request.body
  const basic = about.takesBasic === true ? basicOf(request) : undefined
  if (basic !== undefined && (!Buffer.isBuffer(bytes) || bytes.length === 0)) {
    return read(schema, basic)
  }
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return refused('MISSING', 'body')
  if (!isUtf8(bytes)) return refused('MALFORMED', 'the body is not UTF-8')
  let sent: unknown
  try {
    sent = readJson(bytes.toString('utf8'))
  } catch {
    return refused('MALFORMED', 'the body is not JSON')
  }
  return read(schema, sent)
}

/** Name and secret; the name contains no colon. */
function basicOf({ headers: { authorization = '' } }: Request) {
  const [, encoded] = /^Basic +([\w+/]+={0,2})$/i.exec(authorization) ?? []
  if (encoded === undefined) return undefined
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  return id === undefined ? undefined : { id, secret }
}

/** Errors before an operation: a path or body that cannot be decoded, or is too large. */
function unreadable(
  send: (response: Response, answer: OperationResult) => void,
): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error)
      return
    }
    const type: unknown = error instanceof Error && 'type' in error ? error.type : undefined
    const detail = error instanceof Error ? error.message : ''
    const bytes_max = error instanceof Error && 'limit' in error ? String(error.limit) : ''
    send(
      response,
      type === 'entity.too.large'
        ? refused('TOO_LARGE', `more than ${bytes_max} bytes`)
        : refused('MALFORMED', detail),
    )
  }
}

function write(response: Response, answer: OperationResult, compatibility: Compatibility): void {
  if (answer.outcome === 'file') {
    writeFile(response, answer)
    return
  }
  const { status, body } =
    answer.outcome === 'answered' ? answer : errorAnswer(answer, compatibility)
  response.statusCode = status
  if (answer.outcome === 'answered' && answer.next !== undefined) {
    response.setHeader('link', `<${withCursor(response.req.originalUrl, answer.next)}>; rel="next"`)
  }
  // Answers contain secrets and change over time.
  response.setHeader('cache-control', 'no-store')
  if (status === 401) response.setHeader('www-authenticate', 'Bearer')
  response.setHeaders(new Map(Object.entries(retryAfter(status))))
  if (body === undefined) {
    response.end()
    return
  }
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(writeJson(body))
}

function withCursor(uri: string, cursor: string): string {
  const { pathname, searchParams } = new URL(uri, 'http://hub')
  searchParams.set('cursor', cursor)
  return `${pathname}?${searchParams.toString()}`
}

/** An error in the middle closes the connection, so that no client takes a part for the whole. */
function writeFile(response: Response, { type, pieces, name }: File): void {
  response.setHeader('cache-control', 'no-store')
  response.setHeader('content-type', type.startsWith('text/') ? `${type}; charset=utf-8` : type)
  if (type === 'text/html') response.setHeader('content-security-policy', ownOrigin)
  if (name !== undefined) {
    response.setHeader('content-disposition', `attachment; filename="${name}"`)
  }
  pipeline(Readable.from(pieces), response).catch(() => response.destroy())
}

const unframed = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const nothing = `default-src 'none'; ${unframed}`
const ownStyles = "style-src 'self' 'unsafe-inline'; img-src 'self' data:"
const ownOrigin = `default-src 'self'; ${ownStyles}; ${unframed}`
