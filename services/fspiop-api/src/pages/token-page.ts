/**
 * `POST /token`: client credentials become a bearer token, bound to the client certificate of the
 * connection where it has one. RFC 6749 4.4, 5.1, 5.2, RFC 8705 3.
 */
import { presentedThumbprint, retryAfter } from '@causeway/http'
import type { Request, Response } from 'express'
import type { IssueToken, IssuedToken } from '../security.ts'

/** Clients are not authenticated yet, so the bound is for all of them together. */
const requests_max = 64

interface Credentials {
  readonly id: string
  readonly secret: string
}

type TokenError =
  | 'invalid_request'
  | 'invalid_client'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable'

const statuses = {
  invalid_request: 400,
  invalid_client: 401,
  unsupported_grant_type: 400,
  temporarily_unavailable: 503,
} as const satisfies Readonly<Record<TokenError, number>>

export type TokenPage = (request: Request, response: Response) => Promise<void>

export function openTokenPage(issueToken: IssueToken): TokenPage {
  let asking = 0
  return async (request, response) => {
    const credentials = readTokenRequest(request.headers, request.body)
    if (typeof credentials === 'string') {
      refuseToken(response, credentials)
      return
    }
    if (asking >= requests_max) {
      refuseToken(response, 'temporarily_unavailable')
      return
    }
    asking += 1
    try {
      const thumbprint = presentedThumbprint(request)
      const token = await issueToken(credentials.id, credentials.secret, thumbprint)
      if (token === undefined) refuseToken(response, 'invalid_client')
      else giveToken(response, token)
    } catch {
      refuseToken(response, 'temporarily_unavailable')
    } finally {
      asking -= 1
    }
  }
}

export function refuseToken(response: Response, error: TokenError): void {
  const status = statuses[error]
  if (status === 401) response.setHeader('www-authenticate', 'Basic realm="token"')
  notStored(response).set(retryAfter(status)).status(status).json({ error })
}

function giveToken(response: Response, { accessToken, expiresIn_s }: IssuedToken): void {
  notStored(response).json({
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresIn_s,
  })
}

function notStored(response: Response): Response {
  return response.set({ 'cache-control': 'no-store', pragma: 'no-cache' })
}

/**
 * The client's credentials, as Basic authorization or in the form; `invalid_client` where it has none.
 * A repeated parameter, or credentials in both places, make the request invalid.
 */
export function readTokenRequest(
  { authorization }: { readonly authorization?: string | undefined },
  body: unknown,
): Credentials | TokenError {
  const form = new Map(Object.entries(typeof body === 'object' && body !== null ? body : {}))
  const grantType: unknown = form.get('grant_type')
  if (typeof grantType !== 'string') return 'invalid_request'
  if (grantType !== 'client_credentials') return 'unsupported_grant_type'
  const id: unknown = form.get('client_id')
  const secret: unknown = form.get('client_secret')
  if (authorization === undefined) {
    if (id === undefined || secret === undefined) return 'invalid_client'
    return typeof id === 'string' && typeof secret === 'string' ? { id, secret } : 'invalid_request'
  }
  if (secret !== undefined) return 'invalid_request'
  const basic = basicOf(authorization)
  if (basic === undefined) return 'invalid_client'
  return id === undefined || id === basic.id ? basic : 'invalid_request'
}

/** Both are form-encoded before they are joined. RFC 6749 2.3.1. */
function basicOf(authorization: string): Credentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) return undefined
  return { id: decoded(text.slice(0, colon)), secret: decoded(text.slice(colon + 1)) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
