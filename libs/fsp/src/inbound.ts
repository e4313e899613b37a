/**
 * What the hub sends to an FSP, read strictly: a careful FSP drops a callback whose headers, states
 * or codes are not exactly what the API says. Only transfers come at this stage.
 */
import {
  checkHeaders,
  errorBody,
  type ErrorInformation,
  type Headers,
  matchPath,
  patchTransfers,
  type PostTransfers,
  postTransfers,
  putTransfersAnswer,
  type PutTransfersAnswer,
  readBody,
} from '@causeway/fspiop'

export type Inbound =
  | {
      readonly kind: 'TRANSFER'
      readonly id: string
      readonly source: string
      readonly body: PostTransfers
    }
  | {
      readonly kind: 'STATE'
      readonly id: string
      readonly source: string
      readonly body: PutTransfersAnswer
    }
  | {
      readonly kind: 'ERROR'
      readonly id: string
      readonly source: string
      readonly error: ErrorInformation
    }
  | {
      readonly kind: 'NOTICE'
      readonly id: string
      readonly source: string
      readonly state: 'COMMITTED' | 'ABORTED'
    }
  | Dropped

/** What was made of a message: it was meant for others, it was heard, or it is not believed. */
export type Hearing = 'NOT_MINE' | 'HEARD' | { readonly disbelieved: string }

export interface Dropped {
  readonly kind: 'DROPPED'
  /** Of the answer to the hub. */
  readonly status: number
  readonly why: string
}

/** `path` begins at the resource name; `name` is the FSP that the message must be for. */
export function readInbound(
  name: string,
  method: string,
  path: string,
  headers: Headers,
  body: Buffer,
): Inbound {
  const match = matchPath(method, path)
  if (match.kind === 'PATH_UNKNOWN') return dropped(404, 'the path is unknown')
  if (match.kind === 'METHOD_UNKNOWN') return dropped(405, 'the method is unknown')
  if (match.resource !== 'transfers') return dropped(501, `${match.resource} are not served`)
  if (match.fault !== undefined) return dropped(400, match.fault.detail)
  const check = checkHeaders(method as 'POST' | 'PUT' | 'PATCH' | 'GET', 'transfers', headers)
  if (!check.accepted) return dropped(check.refusal.status, check.refusal.detail)
  const { source, destination } = check
  if (destination !== undefined && destination !== name) {
    return dropped(400, `header fspiop-destination: this is ${name}`)
  }
  const id = match.parameters.ID ?? ''
  switch (match.operation) {
    case 'POST /transfers':
      return readTransfer(source, body)
    case 'PUT /transfers/{ID}':
      return readState(id, source, body)
    case 'PUT /transfers/{ID}/error':
      return readError(id, source, body)
    case 'PATCH /transfers/{ID}':
      return readNotice(id, source, body)
    default:
      return dropped(501, `${match.operation} is not served`)
  }
}

function readTransfer(source: string, bytes: Buffer): Inbound {
  const reading = readBody(postTransfers, bytes)
  if (!reading.ok) return dropped(400, reading.detail)
  return { kind: 'TRANSFER', id: reading.value.transferId, source, body: reading.value }
}

function readState(id: string, source: string, bytes: Buffer): Inbound {
  const reading = readBody(putTransfersAnswer, bytes)
  if (!reading.ok) return dropped(400, reading.detail)
  if (!isExact(reading.json, reading.value.transferState)) return inexact
  return { kind: 'STATE', id, source, body: reading.value }
}

function readError(id: string, source: string, bytes: Buffer): Inbound {
  const reading = readBody(errorBody, bytes)
  if (!reading.ok) return dropped(400, reading.detail)
  const { errorCode, errorDescription, extensionList } = reading.value.errorInformation
  const error = { errorCode, errorDescription, ...(extensionList && { extensionList }) }
  return { kind: 'ERROR', id, source, error }
}

function readNotice(id: string, source: string, bytes: Buffer): Inbound {
  const reading = readBody(patchTransfers, bytes)
  if (!reading.ok) return dropped(400, reading.detail)
  if (!isExact(reading.json, reading.value.transferState)) return inexact
  return { kind: 'NOTICE', id, source, state: reading.value.transferState }
}

const inexact = dropped(400, '/transferState: not exactly one of its values')

/** The schemas forgive lower case; what the hub writes must be exact. */
function isExact(json: unknown, state: string): boolean {
  return (json as { readonly transferState?: unknown }).transferState === state
}

function dropped(status: number, why: string): Dropped {
  return { kind: 'DROPPED', status, why }
}
