/**
 * The closed set of reasons for which the edge refuses a request, each with its FSPIOP code, status and
 * text. A reason without them does not compile, and the errors page is generated from this table.
 * Format errors (headers, path, body) come from the protocol library with their own details.
 */
import { errorCatalogue, type ErrorCode, type Refusal } from '@causeway/fspiop'

export type Reason =
  | 'PATH_UNKNOWN'
  | 'METHOD_UNKNOWN'
  | 'NOT_SERVED'
  | 'HEAD_TOO_LARGE'
  | 'BODY_TOO_LARGE'
  | 'NOT_HTTP'
  | 'NOT_RECEIVED_IN_TIME'
  | 'CONTENT_ENCODED'
  | 'TRANSFER_CODING_UNKNOWN'
  | 'BUSY'
  | 'NOT_STORABLE'
  | 'NOT_STORED_IN_TIME'
  | 'BULK_UNKNOWN'
  | 'TOO_MANY_OF_BULKS'
  | 'PARTICIPANTS_UNAVAILABLE'
  | 'TOO_MANY_PROVIDERS'
  | 'FAULT'
  | 'SOURCE_UNKNOWN'
  | 'SOURCE_INACTIVE'
  | 'SOURCE_CLOSED'
  | 'SOURCE_NOT_PAYER'
  | 'DESTINATION_NOT_PAYEE'
  | 'PAYER_IS_PAYEE'
  | 'AMOUNT_ZERO'
  | 'CONDITION_NOT_32_BYTES'
  | 'RESERVED_IN_VERSION_1_0'
  | 'COMPLETED_TIMESTAMP_OUT_OF_BOUNDS'
  | 'FOREIGN_PAGE'
  | 'IDENTITY_MISSING'
  | 'TOKEN_NOT_BOUND'
  | 'CERTIFICATE_ENDED'
  | 'CERTIFICATE_REVOKED'
  | 'CERTIFICATE_UNREGISTERED'
  | 'CERTIFICATES_UNAVAILABLE'
  | 'REVOCATION_LIST_OVERDUE'
  | 'IDENTITY_IS_NOT_SOURCE'
  | 'IDENTITY_UNAVAILABLE'
  | 'TOO_MANY'
  | 'TOO_MANY_CONNECTIONS'
  | 'TOO_MANY_UNSOLICITED'
  | 'KEYS_UNAVAILABLE'
  | 'SIGNATURE_MISSING'
  | 'SIGNED_HEADER_NOT_RELAYED'
  | 'DATE_UNPROTECTED'
  | 'DATE_OUTSIDE_WINDOW'
  | 'DESTINATION_UNPROTECTED'
  | 'REQUESTER_NOT_PAYER'
  | 'REQUESTER_NOT_PAYEE'
  | 'REQUESTER_NOT_OWNER'
  | 'DESTINATION_MISSING'
  | 'DESTINATION_UNKNOWN'
  | 'DESTINATION_UNREACHABLE'
  | 'DESTINATION_REFUSED'
  | 'DESTINATION_LACKS_OPERATION'
  | 'DESTINATION_LACKS_VERSION'
  | 'AUTH_SERVICE_READS_ALL'
  | 'OWNERS_UNAVAILABLE'
  | 'REQUESTS_UNAVAILABLE'
  | 'NOT_ASKED'
  | 'RECONCILIATION_UNCLEAR'
  | 'REPORTS_UNAVAILABLE'
  | 'REPORT_UNCLEAR'
  | 'REPORT_UNKNOWN'

interface Rule {
  readonly code: ErrorCode
  /** When it differs from the status of the code. */
  readonly status?: Refusal['status']
  readonly text: string
}

const rules = {
  PATH_UNKNOWN: { code: '3002', text: 'no such path' },
  METHOD_UNKNOWN: { code: '3000', status: 405, text: 'the path has no such method' },
  NOT_SERVED: { code: '2002', text: 'this hub does not support it' },
  HEAD_TOO_LARGE: { code: '3104', text: 'the headers have more than 65536 bytes' },
  BODY_TOO_LARGE: { code: '3104', text: 'the body is larger than allowed for this message' },
  NOT_HTTP: { code: '3101', text: 'the request is not valid HTTP' },
  NOT_RECEIVED_IN_TIME: { code: '3000', text: 'the request did not arrive in time' },
  CONTENT_ENCODED: {
    code: '3101',
    text: 'header content-encoding: only identity is supported',
  },
  TRANSFER_CODING_UNKNOWN: {
    code: '3101',
    text: 'header transfer-encoding: only chunked is supported',
  },
  BUSY: { code: '2005', text: 'too many requests in progress; try again later' },
  NOT_STORABLE: { code: '2003', text: 'the request could not be stored; try again later' },
  NOT_STORED_IN_TIME: {
    code: '2003',
    text: 'the answer could not be stored in time; send it again',
  },
  BULK_UNKNOWN: { code: '3210', text: 'no bulk transfer has this id' },
  TOO_MANY_OF_BULKS: {
    code: '2005',
    text: 'messages of this FSP about bulk transfers are unprocessed; try again later',
  },
  TOO_MANY_PROVIDERS: {
    code: '2000',
    text: 'more than 256 participants provide it, the maximum of a list',
  },
  PARTICIPANTS_UNAVAILABLE: {
    code: '2003',
    text: 'the participants cannot be read; try again later',
  },
  RECONCILIATION_UNCLEAR: { code: '3100', text: 'settlementWindowId or day must be given' },
  REPORTS_UNAVAILABLE: { code: '2003', text: 'the reports cannot be read; try again later' },
  REPORT_UNCLEAR: {
    code: '3100',
    text: 'day, version, scope, format, from, to or limit is invalid',
  },
  REPORT_UNKNOWN: { code: '3200', status: 404, text: 'there is no report of that day' },
  FAULT: { code: '2001', text: 'internal error; the request was not accepted' },
  SOURCE_UNKNOWN: { code: '3200', text: 'header fspiop-source: not a participant' },
  SOURCE_INACTIVE: { code: '3100', text: 'header fspiop-source: the participant is not active' },
  SOURCE_CLOSED: {
    code: '3100',
    status: 403,
    text: 'header fspiop-source: the participant is closed',
  },
  SOURCE_NOT_PAYER: { code: '3100', text: 'header fspiop-source is not payerFsp' },
  DESTINATION_NOT_PAYEE: { code: '3100', text: 'header fspiop-destination is not payeeFsp' },
  PAYER_IS_PAYEE: { code: '3100', text: 'payerFsp and payeeFsp are the same' },
  AMOUNT_ZERO: { code: '3100', text: '/amount/amount: must be more than 0' },
  CONDITION_NOT_32_BYTES: { code: '3100', text: '/condition: not 32 bytes in base64url' },
  RESERVED_IN_VERSION_1_0: { code: '3101', text: '/transferState: RESERVED needs version 1.1' },
  COMPLETED_TIMESTAMP_OUT_OF_BOUNDS: {
    code: '3100',
    text: '/completedTimestamp: too far from the time of the hub',
  },
  FOREIGN_PAGE: {
    code: '3000',
    status: 403,
    text: 'without authentication no requests of web pages are served',
  },
  IDENTITY_MISSING: {
    code: '3000',
    status: 401,
    text: 'no client certificate or token of the scheme',
  },
  TOKEN_NOT_BOUND: {
    code: '3000',
    status: 401,
    text: 'the token is not bound to the client certificate of this connection',
  },
  CERTIFICATE_ENDED: { code: '3000', status: 401, text: 'the client certificate has ended' },
  CERTIFICATE_REVOKED: { code: '3000', status: 401, text: 'the client certificate is revoked' },
  CERTIFICATE_UNREGISTERED: {
    code: '3000',
    status: 401,
    text: 'the client certificate is not registered with the hub',
  },
  CERTIFICATES_UNAVAILABLE: {
    code: '2003',
    text: 'certificates cannot be checked now; try again later',
  },
  REVOCATION_LIST_OVERDUE: {
    code: '2003',
    text: 'the revocation list of the CA is overdue; try again later',
  },
  IDENTITY_IS_NOT_SOURCE: {
    code: '3100',
    status: 403,
    text: 'header fspiop-source: the client is another FSP',
  },
  IDENTITY_UNAVAILABLE: { code: '2003', text: 'tokens cannot be checked now; try again later' },
  TOO_MANY: { code: '2005', text: 'too many requests of this FSP; try again later' },
  TOO_MANY_UNSOLICITED: {
    code: '2005',
    text: 'more answers to that FSP than it has requested; try again later',
  },
  TOO_MANY_CONNECTIONS: {
    code: '2005',
    text: 'too many connections of this FSP; close or reuse some',
  },
  KEYS_UNAVAILABLE: { code: '2003', text: 'signatures cannot be checked now; try again later' },
  SIGNATURE_MISSING: { code: '3105', text: 'header fspiop-signature is missing' },
  SIGNED_HEADER_NOT_RELAYED: {
    code: '3105',
    text: 'protected header: it holds a header that this hub does not relay',
  },
  DATE_UNPROTECTED: { code: '3105', text: 'Date: protected header lacks it' },
  DATE_OUTSIDE_WINDOW: {
    code: '3105',
    text: 'header date: too far from the time of the hub; sign the request again',
  },
  DESTINATION_UNPROTECTED: {
    code: '3105',
    text: 'FSPIOP-Destination: protected header lacks it',
  },
  REQUESTER_NOT_PAYER: { code: '3100', text: 'header fspiop-source is not the FSP of the payer' },
  REQUESTER_NOT_PAYEE: { code: '3100', text: 'header fspiop-source is not the FSP of the payee' },
  REQUESTER_NOT_OWNER: { code: '3100', text: 'header fspiop-source is not the FSP of the party' },
  DESTINATION_MISSING: { code: '3102', text: 'header fspiop-destination' },
  DESTINATION_UNKNOWN: {
    code: '3201',
    text: 'not a participant, or without an address for this message',
  },
  DESTINATION_UNREACHABLE: { code: '1001', text: 'the destination could not be reached' },
  AUTH_SERVICE_READS_ALL: {
    code: '3100',
    text: 'header fspiop-encryption: the auth service of the hub does not decrypt',
  },
  OWNERS_UNAVAILABLE: {
    code: '2003',
    text: 'the owner cannot be read; try again later',
  },
  REQUESTS_UNAVAILABLE: {
    code: '2003',
    text: 'the request that it answers cannot be read; try again later',
  },
  NOT_ASKED: {
    code: '3100',
    text: 'header fspiop-source: the destination has not asked this FSP',
  },
  DESTINATION_REFUSED: { code: '3000', text: 'the destination refused the message' },
  DESTINATION_LACKS_OPERATION: { code: '2002', text: 'the destination does not support it' },
  DESTINATION_LACKS_VERSION: {
    code: '3001',
    text: 'the destination does not support this version',
  },
} as const satisfies Readonly<Record<Reason, Rule>>

/** Reasons for which existing clients are tested for another code than the specification's. */
const mojaloopCodes: Readonly<Partial<Record<Reason, ErrorCode>>> = { SOURCE_UNKNOWN: '3100' }

export type Compatibility = 'specification' | 'mojaloop'

export function refuse(reason: Reason, compatibility: Compatibility = 'specification'): Refusal {
  const rule: Rule = rules[reason]
  const code = (compatibility === 'mojaloop' ? mojaloopCodes[reason] : undefined) ?? rule.code
  return { status: rule.status ?? errorCatalogue[code].status, code, detail: rule.text }
}

/**
 * Content-Type of a refusal: that of every response, in the version that was agreed. Earlier versions of
 * Mojaloop's SDK read the errors of no other type than `application/json`.
 */
export function refusalType(responseType: string, compatibility: Compatibility): string {
  return compatibility === 'mojaloop' ? 'application/json' : responseType
}

export const reasons = Object.keys(rules) as readonly Reason[]
