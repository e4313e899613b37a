/**
 * The OpenID provider of the operator's organisation: authorization code flow with PKCE, state and nonce.
 * Its keys and addresses are read at the first log-in, and again after a failure.
 */
import { baseAddressFault, webAddressFault } from '@causeway/fspiop'
import { StartError } from '@causeway/process'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type Configuration,
} from 'openid-client'
import type { AuthServiceSettings } from '../../settings.ts'
import type { OidcLogIn } from './store.ts'

type OidcSettings = Pick<
  AuthServiceSettings,
  Extract<keyof AuthServiceSettings, `AUTH_SERVICE_OIDC_${string}`>
>

export interface OidcProvider {
  /** The address that the browser goes to, and what must be known when it comes back. */
  begin(): Promise<{ readonly url: string; readonly state: string; readonly logIn: OidcLogIn }>
  /** Undefined: it names no operator. Throws if the answer does not prove it. */
  end(callback: URL, state: string, logIn: OidcLogIn): Promise<OidcIdentity | undefined>
}

/** Who has logged in at the provider. */
export interface OidcIdentity {
  /** The claim that names the operator, in lower case; at many providers its user can change it. */
  readonly name: string
  /** Issuer and subject never change hands. (OpenID Connect Core 1.0, section 5.7) */
  readonly issuer: string
  readonly subject: string
}

/** Undefined: there is none. Throws StartError for settings that cannot be. */
export function openOidc(settings: OidcSettings): OidcProvider | undefined {
  if (settings.AUTH_SERVICE_OIDC_ISSUER === undefined) return undefined
  const issuer = addressOf('AUTH_SERVICE_OIDC_ISSUER', settings)
  const redirect_uri = addressOf('AUTH_SERVICE_OIDC_REDIRECT_URI', settings).href
  const claim = settings.AUTH_SERVICE_OIDC_NAME_CLAIM
  let known: Promise<Configuration> | undefined
  const configuration = () =>
    (known ??= discovered(issuer, settings).catch((error: unknown) => {
      known = undefined
      throw error
    }))
  return {
    async begin() {
      const [state, nonce, codeVerifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
      const { href: url } = buildAuthorizationUrl(await configuration(), {
        redirect_uri,
        scope: settings.AUTH_SERVICE_OIDC_SCOPE,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      })
      return { url, state, logIn: { nonce, codeVerifier } }
    },
    async end({ search }, expectedState, { nonce: expectedNonce, codeVerifier }) {
      // The address is the registered one; a gateway may have changed that of the request.
      const callback = new URL(redirect_uri)
      callback.search = search
      const tokens = await authorizationCodeGrant(await configuration(), callback, {
        expectedState,
        expectedNonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      const proven =
        claims === undefined || claims[claim] !== undefined
          ? claims
          : await fetchUserInfo(await configuration(), tokens.access_token, claims.sub)
      if (claims === undefined) return undefined
      // An address that the provider has not verified is what its user typed.
      if (claim === 'email' && proven?.['email_verified'] !== true) return undefined
      const name = proven?.[claim]
      return typeof name === 'string'
        ? { name: name.toLowerCase(), issuer: claims.iss, subject: claims.sub }
        : undefined
    },
  }
}

function discovered(issuer: URL, settings: OidcSettings): Promise<Configuration> {
  const { AUTH_SERVICE_OIDC_CLIENT_ID: id, AUTH_SERVICE_OIDC_CLIENT_SECRET: secret } = settings
  return discovery(issuer, id, secret, undefined, {
    timeout: 5,
    ...(issuer.protocol === 'http:' ? { execute: [allowInsecureRequests] } : {}),
  })
}

/** Plain http is for a provider on this machine. An issuer has no query (OpenID Connect Discovery 1.0, 4). */
function addressOf(
  name: 'AUTH_SERVICE_OIDC_ISSUER' | 'AUTH_SERVICE_OIDC_REDIRECT_URI',
  settings: OidcSettings,
): URL {
  const text = settings[name] ?? ''
  const isIssuer = name === 'AUTH_SERVICE_OIDC_ISSUER'
  const fault = isIssuer ? baseAddressFault(text) : webAddressFault(text)
  if (fault !== undefined) throw new StartError(`${name} ${fault}.`)
  const url = new URL(text)
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'https:' || isLocal) return url
  throw new StartError(`${name} must be an address that begins with https://.`)
}
