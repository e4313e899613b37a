/**
 * The closed set of reasons for which the edge itself refuses a request, each with its FSPIOP code,
 * status and text. A reason without them does not compile, and the errors page is made of this table.
 * Faults of form (headers, path, body) come from the protocol library with their own details.
 */
import { errorCatalogue, type ErrorCode, type Refusal } from '@causeway/fspiop'

export type Reason =
  | 'PATH_UNKNOWN'
  | 'METHOD_UNKNOWN'
  | 'NOT_SERVED'
  | 'HEAD_TOO_LARGE'
  | 'BODY_TOO_LARGE'
  | 'NOT_HTTP'
  | 'BUSY'
  | 'NOT_STORABLE'
  | 'PARTICIPANTS_AWAY'
  | 'FAULT'
  | 'SOURCE_UNKNOWN'
  | 'SOURCE_INACTIVE'
  | 'SOURCE_NOT_PAYER'
  | 'DESTINATION_NOT_PAYEE'
  | 'PAYER_IS_PAYEE'
  | 'AMOUNT_ZERO'
  | 'CONDITION_NOT_32_BYTES'
  | 'RESERVED_IN_VERSION_1_0'
  | 'COMPLETED_TIMESTAMP_OUT_OF_BOUNDS'

interface Rule {
  readonly code: ErrorCode
  /** Where it is not the status that the code has by itself. */
  readonly status?: Refusal['status']
  readonly text: string
}

const rules = {
  PATH_UNKNOWN: { code: '3002', text: 'no such path' },
  METHOD_UNKNOWN: { code: '3000', status: 405, text: 'the path has no such method' },
  NOT_SERVED: { code: '2002', text: 'this hub does not serve it' },
  HEAD_TOO_LARGE: { code: '3104', text: 'the headers have more than 65536 bytes' },
  BODY_TOO_LARGE: { code: '3104', text: 'the body has more than 5242880 bytes' },
  NOT_HTTP: { code: '3101', text: 'what came is not HTTP' },
  BUSY: { code: '2005', text: 'too many requests at work; try again later' },
  NOT_STORABLE: { code: '2003', text: 'the request could not be stored; try again later' },
  PARTICIPANTS_AWAY: { code: '2003', text: 'the participants cannot be read; try again later' },
  FAULT: { code: '2001', text: 'an unforeseen fault; the request was not accepted' },
  SOURCE_UNKNOWN: { code: '3200', text: 'header fspiop-source: not a participant' },
  SOURCE_INACTIVE: { code: '3100', text: 'header fspiop-source: the participant is not active' },
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
} as const satisfies Readonly<Record<Reason, Rule>>

/** Where existing clients are tested for another code than the specification's. */
const mojaloopCodes: Readonly<Partial<Record<Reason, ErrorCode>>> = { SOURCE_UNKNOWN: '3100' }

export type Compatibility = 'specification' | 'mojaloop'

export function refuse(reason: Reason, compatibility: Compatibility = 'specification'): Refusal {
  const rule: Rule = rules[reason]
  const code = (compatibility === 'mojaloop' ? mojaloopCodes[reason] : undefined) ?? rule.code
  return { status: rule.status ?? errorCatalogue[code].status, code, detail: rule.text }
}

export const reasons = Object.keys(rules) as readonly Reason[]
