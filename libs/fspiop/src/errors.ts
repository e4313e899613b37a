/**
 * The closed catalogue of error codes. Every refusal uses a code of it, which determines name and
 * status; codes received from FSPs are relayed unchanged and never looked up.
 */

/** A list of extensions as sent: an object with the array. FSPIOP 7.4. */
export interface ExtensionList {
  readonly extension: readonly Extension[]
}

export interface Extension {
  readonly key: string
  readonly value: string
}

/** FSPIOP 7.4. */
export interface ErrorInformation {
  readonly errorCode: string
  /** 1 to 128 characters. */
  readonly errorDescription: string
  readonly extensionList?: ExtensionList | undefined
}

/** Every status of a response, with its meaning. FSPIOP 3. */
export const httpStatuses = {
  200: 'a callback (PUT, PATCH) was accepted',
  202: 'a request (POST, GET, DELETE) was accepted; its outcome is sent as a callback',
  400: 'the message is invalid',
  401: 'the sender is not authenticated',
  403: 'the sender is not authorized',
  404: 'no such path',
  405: 'the path has no such method',
  406: 'none of the requested versions is supported',
  501: 'this hub does not support the operation',
  503: 'temporarily unavailable: overloaded, or a dependency is unavailable',
} as const

export type HttpStatus = keyof typeof httpStatuses

interface CatalogueEntry {
  readonly name: string
  /** The status of a synchronous response; before an acknowledgement a server fault is 503, not 500. */
  readonly status: Extract<HttpStatus, 400 | 404 | 406 | 501 | 503>
}

/** FSPIOP 7.6 (error codes); 6xxx: Third-Party API. 2006, 3040 and 5107 are in the scheme's range. */
export const errorCatalogue = {
  1000: { name: 'Communication error', status: 503 },
  1001: { name: 'Destination communication error', status: 503 },
  2000: { name: 'Generic server error', status: 503 },
  2001: { name: 'Internal server error', status: 503 },
  2002: { name: 'Not implemented', status: 501 },
  2003: { name: 'Service currently unavailable', status: 503 },
  2004: { name: 'Server timed out', status: 503 },
  2005: { name: 'Server busy', status: 503 },
  2006: { name: 'Temporary party resolution failure', status: 503 },
  3000: { name: 'Generic client error', status: 400 },
  3001: { name: 'Unacceptable version requested', status: 406 },
  3002: { name: 'Unknown URI', status: 404 },
  3003: { name: 'Add Party information error', status: 400 },
  3040: { name: 'Delete Party information error', status: 400 },
  3100: { name: 'Generic validation error', status: 400 },
  3101: { name: 'Malformed syntax', status: 400 },
  3102: { name: 'Missing mandatory element', status: 400 },
  3103: { name: 'Too many elements', status: 400 },
  3104: { name: 'Too large payload', status: 400 },
  3105: { name: 'Invalid signature', status: 400 },
  3106: { name: 'Modified request', status: 400 },
  3107: { name: 'Missing mandatory extension parameter', status: 400 },
  3200: { name: 'Generic ID not found', status: 400 },
  3201: { name: 'Destination FSP error', status: 400 },
  3202: { name: 'Payer FSP ID not found', status: 400 },
  3203: { name: 'Payee FSP ID not found', status: 400 },
  3204: { name: 'Party not found', status: 400 },
  3205: { name: 'Quote ID not found', status: 400 },
  3206: { name: 'Transaction request ID not found', status: 400 },
  3207: { name: 'Transaction ID not found', status: 400 },
  3208: { name: 'Transfer ID not found', status: 400 },
  3209: { name: 'Bulk quote ID not found', status: 400 },
  3210: { name: 'Bulk transfer ID not found', status: 400 },
  3300: { name: 'Generic expired error', status: 400 },
  3301: { name: 'Transaction request expired', status: 400 },
  3302: { name: 'Quote expired', status: 400 },
  3303: { name: 'Transfer expired', status: 400 },
  4000: { name: 'Generic Payer error', status: 400 },
  4001: { name: 'Payer FSP insufficient liquidity', status: 400 },
  4100: { name: 'Generic Payer rejection', status: 400 },
  4101: { name: 'Payer rejected transaction request', status: 400 },
  4102: { name: 'Payer FSP unsupported transaction type', status: 400 },
  4103: { name: 'Payer unsupported currency', status: 400 },
  4200: { name: 'Payer limit error', status: 400 },
  4300: { name: 'Payer permission error', status: 400 },
  4400: { name: 'Generic Payer blocked error', status: 400 },
  5000: { name: 'Generic Payee error', status: 400 },
  5001: { name: 'Payee FSP insufficient liquidity', status: 400 },
  5100: { name: 'Generic Payee rejection', status: 400 },
  5101: { name: 'Payee rejected quote', status: 400 },
  5102: { name: 'Payee FSP unsupported transaction type', status: 400 },
  5103: { name: 'Payee FSP rejected quote', status: 400 },
  5104: { name: 'Payee rejected transaction', status: 400 },
  5105: { name: 'Payee FSP rejected transaction', status: 400 },
  5106: { name: 'Payee unsupported currency', status: 400 },
  5107: { name: 'Payee identifier no longer valid', status: 400 },
  5200: { name: 'Payee limit error', status: 400 },
  5300: { name: 'Payee permission error', status: 400 },
  5400: { name: 'Generic Payee blocked error', status: 400 },
  6000: { name: 'Third party error', status: 400 },
  6001: { name: 'Third party request error', status: 400 },
  6003: { name: 'Downstream Failure', status: 400 },
  6100: { name: 'Authentication rejection', status: 400 },
  6101: { name: 'Unsupported scopes were requested', status: 400 },
  6102: { name: 'Consent not granted', status: 400 },
  6103: { name: 'Consent not valid', status: 400 },
  6104: { name: 'Third Party request rejection', status: 400 },
  6200: { name: 'Invalid Consent Credential', status: 400 },
  6201: { name: 'Invalid transaction signature', status: 400 },
  6203: { name: 'Invalid authentication token', status: 400 },
  6204: { name: 'Bad callbackUri', status: 400 },
  6205: { name: 'No accounts found', status: 400 },
} as const satisfies Readonly<Record<number, CatalogueEntry>>

export type ErrorCode = `${keyof typeof errorCatalogue}`

/**
 * The catalogue entry for an FSP's error code: its own, else the generic one of its sub-category (xx00),
 * else of its category (x000); `undefined` when it is not a four-digit code. For decisions only: codes
 * are relayed unchanged. FSPIOP 7.6.
 */
export function meaningOf(code: string): ErrorCode | undefined {
  if (!/^[1-9]\d{3}$/.test(code)) return undefined
  const candidates = [code, `${code.slice(0, 2)}00`, `${code.slice(0, 1)}000`]
  return candidates.find((each): each is ErrorCode => Object.hasOwn(errorCatalogue, each))
}

/**
 * The reason why a message is refused, before it is acknowledged. The status is that of the code, except
 * for 401, 403 and 405, which share the codes 3000 and 3100 with other refusals.
 */
export interface Refusal {
  readonly status: Exclude<HttpStatus, 200 | 202>
  readonly code: ErrorCode
  readonly detail: string
  readonly extensionList?: ExtensionList
}

const description_max = 128

/** A refusal with the status of the code in the catalogue. */
export function refusal(code: ErrorCode, detail: string): Refusal {
  return { status: errorCatalogue[code].status, code, detail }
}

/** The error as sent: "<name> - <detail>" or only the name, cut to 128 characters. */
export function errorInformation(
  code: ErrorCode,
  detail?: string,
  extensionList?: ExtensionList,
): ErrorInformation {
  const { name } = errorCatalogue[code]
  const errorDescription = cut(detail === undefined ? name : `${name} - ${detail}`)
  return {
    errorCode: code,
    errorDescription,
    ...(extensionList === undefined ? {} : { extensionList }),
  }
}

/** The `cause` extension of an aborted transfer: "<code>: <description>", cut to 128 characters. */
export function causeOf(information: ErrorInformation): string {
  return cut(`${information.errorCode}: ${information.errorDescription}`)
}

/** Cuts between code points, which the lengths of the API count. */
function cut(text: string): string {
  if (text.length <= description_max) return text
  return Array.from(text.slice(0, 2 * description_max))
    .slice(0, description_max)
    .join('')
}
