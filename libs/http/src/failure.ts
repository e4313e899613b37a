/** Why an HTTP request got no complete response, in a few kinds that a caller can decide by. */

/**
 * TIMEOUT: no complete response in time. REFUSED: no process listens there, or no route exists. RESET:
 * the connection ended before the response did. TLS: the handshake or a certificate failed. DNS: the
 * name is unknown. DENIED: requests may not go there. OTHER: anything else, such as an aborted request or a response that is not HTTP.
 */
export type HttpFailureKind = 'TIMEOUT' | 'REFUSED' | 'RESET' | 'TLS' | 'DNS' | 'DENIED' | 'OTHER'

/** The request may or may not have reached the server, except for REFUSED, TLS, DNS and DENIED. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  readonly kind: HttpFailureKind

  constructor(kind: HttpFailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

const kinds: ReadonlyMap<string, HttpFailureKind> = new Map([
  ['ETIMEDOUT', 'TIMEOUT'],
  ['UND_ERR_CONNECT_TIMEOUT', 'TIMEOUT'],
  ['UND_ERR_HEADERS_TIMEOUT', 'TIMEOUT'],
  ['UND_ERR_BODY_TIMEOUT', 'TIMEOUT'],
  ['ECONNREFUSED', 'REFUSED'],
  ['EHOSTUNREACH', 'REFUSED'],
  ['ENETUNREACH', 'REFUSED'],
  ['EADDRNOTAVAIL', 'REFUSED'],
  ['ECONNRESET', 'RESET'],
  ['ECONNABORTED', 'RESET'],
  ['EPIPE', 'RESET'],
  ['UND_ERR_SOCKET', 'RESET'],
  ['ENOTFOUND', 'DNS'],
  ['EAI_AGAIN', 'DNS'],
  ['EAI_FAIL', 'DNS'],
  ['EAI_NODATA', 'DNS'],
  ['EAI_NONAME', 'DNS'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'TLS'],
  ['CERT_HAS_EXPIRED', 'TLS'],
  ['CERT_NOT_YET_VALID', 'TLS'],
  ['CERT_REVOKED', 'TLS'],
  ['CERT_UNTRUSTED', 'TLS'],
  ['CERT_SIGNATURE_FAILURE', 'TLS'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'TLS'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'TLS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'TLS'],
])

/** `ERR_SSL_…` are alerts and broken records, `ERR_TLS_…` names that do not match. */
const tlsCode = /^(ERR_SSL_|ERR_TLS_|EPROTO$)/

export function httpFailure(error: Error): HttpFailure {
  if (error instanceof HttpFailure) return error
  return new HttpFailure(kindOf(error), error.message, { cause: error })
}

/** A name with several addresses fails with one error for each of them. */
function kindOf(error: object): HttpFailureKind {
  const { code, errors } = error as { readonly code?: unknown; readonly errors?: unknown }
  if (typeof code === 'string') {
    const kind = kinds.get(code)
    if (kind !== undefined) return kind
    if (tlsCode.test(code)) return 'TLS'
  }
  const [first] = Array.isArray(errors) ? (errors as readonly unknown[]) : []
  return typeof first === 'object' && first !== null ? kindOf(first) : 'OTHER'
}
