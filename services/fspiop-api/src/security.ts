/** The security of the FSP port, from the settings: identity, signatures both ways, tokens. */
import { X509Certificate } from 'node:crypto'
import { openHsm, type Token } from '@causeway/keys/provider'
import { isSchemeHeader, rsaAlgorithms } from '@causeway/fspiop'
import { listIn, type Logger, StartError } from '@causeway/process'
import { credentialsService } from '@causeway/protos'
import type { ProcessParts } from '@causeway/runtime'
import { age_max_ms } from './bounds.ts'
import { openCertificateStates } from './identity/certificate-states.ts'
import { openFspCertificates } from './identity/fsp-certificates.ts'
import { openFspKeys } from './signatures/fsp-keys.ts'
import {
  byCertificate,
  byHeader,
  challenges,
  type Challenge,
  type Identify,
} from './identity/identity.ts'
import { openRevocationLists } from './identity/revocation-lists.ts'
import type { FspiopApiSettings } from './settings.ts'
import { openHubKeys, type HubKeys } from './signatures/sign.ts'
import { openSignatures, type CheckSignature, type SignatureRules } from './signatures/verify.ts'
import { byToken } from './identity/token-identity.ts'

export interface Security {
  readonly identify: Identify
  /** What a client that is not identified is asked for. */
  readonly challenge: Challenge
  readonly checkSignature: CheckSignature | undefined
  readonly hubKeys: HubKeys | undefined
  /** Of the hosted auth service. */
  readonly authServiceKeys: HubKeys | undefined
  readonly issueToken: IssueToken
  /** The FSP's keys or certificates have changed. */
  forgetKeys(fspId: string): void
  /** Any FSP's keys or certificates may have changed. */
  forgetAllKeys(): void
  /** From now on these are the CAs of FSPs, in PEM. */
  trust(authorities: string): void
  /** Rejects while auth-service does not answer; undefined when it is not needed. */
  readonly ping: (() => Promise<void>) | undefined
  stop(): Promise<void>
}

/**
 * Issues a token for OAuth 2 client credentials; undefined when they are unknown or wrong.
 * @param thumbprint of the client certificate that the token is bound to
 */
export type IssueToken = (
  clientId: string,
  clientSecret: string,
  thumbprint: string | undefined,
) => Promise<IssuedToken | undefined>

export interface IssuedToken {
  readonly accessToken: string
  readonly expiresIn_s: number
}

/** @param trusted the CAs of FSPs, in PEM */
export async function openSecurity(
  settings: FspiopApiSettings,
  { grpc, http, metrics }: Pick<ProcessParts, 'grpc' | 'http' | 'metrics'>,
  log: Logger,
  trusted: string,
): Promise<Security> {
  const hsm = await openHsm(settings)
  const hubKeys = await signingKeys(settings, 'JWS_SIGNING_KEY_FILE', hsm)
  const authServiceKeys =
    settings.AUTH_SERVICE_PARTICIPANT === ''
      ? undefined
      : await signingKeys(settings, 'JWS_AUTH_SERVICE_SIGNING_KEY_FILE', hsm)
  const keys = settings.JWS_VERIFY === 'on' ? openFspKeys({ grpc, log, age_max_ms }) : undefined
  const { IssueToken, GetTokenKeys } = grpc.client(credentialsService, 'auth-service')
  let authorities = certificatesIn(trusted)
  const byMtls =
    settings.EDGE_IDENTITY === 'mtls'
      ? await openMtls(settings, { grpc, http, metrics }, log, () => authorities)
      : undefined
  return {
    identify: byMtls?.identify ?? identifyBy(settings, { grpc }, log),
    challenge: challenges[settings.EDGE_IDENTITY],
    checkSignature: keys === undefined ? undefined : openSignatures(keys, signatureRules(settings)),
    hubKeys,
    authServiceKeys,
    async issueToken(clientId, clientSecret, thumbprint) {
      const { token = null } = await IssueToken({
        clientId,
        clientSecret,
        ...(thumbprint === undefined ? {} : { certificateThumbprint: thumbprint }),
      })
      if (token === null) return undefined
      return { accessToken: token.accessToken, expiresIn_s: token.expiresInS }
    },
    forgetKeys(fspId) {
      keys?.forget(fspId)
      byMtls?.certificates.forget(fspId)
    },
    forgetAllKeys() {
      keys?.forgetAll()
      byMtls?.certificates.forgetAll()
    },
    trust: (pem) => (authorities = certificatesIn(pem)),
    ping: needsAuthService(settings)
      ? async () => {
          await GetTokenKeys({})
        }
      : undefined,
    async stop() {
      await keys?.stop()
      await byMtls?.stop()
      hsm?.close()
    },
  }
}

async function openMtls(
  settings: FspiopApiSettings,
  { grpc, http, metrics }: Pick<ProcessParts, 'grpc' | 'http' | 'metrics'>,
  log: Logger,
  authorities: () => readonly X509Certificate[],
) {
  const now_ms = Date.now
  const lists =
    settings.EDGE_TLS_CRL_FILE === undefined && settings.EDGE_TLS_CRL_URL === ''
      ? undefined
      : await openRevocationLists(settings, { authorities, http, log, metrics, now_ms })
  const certificates = openFspCertificates({ grpc, log, age_max_ms, now_ms })
  const acceptsUnregistered = settings.EDGE_CERTIFICATES === 'any'
  const judge = openCertificateStates({ certificates, acceptsUnregistered, lists, now_ms, log })
  return {
    certificates,
    identify: byCertificate({
      gateways: gatewaysOf(settings),
      gatewayFingerprints: new Set(
        settings.EDGE_GATEWAY_FINGERPRINTS.toLowerCase()
          .match(/[0-9a-f:]{64,95}/g)
          ?.map((text) => text.replaceAll(':', '')),
      ),
      authorities,
      judge,
    }),
    async stop() {
      await certificates.stop()
      await lists?.stop()
    },
  }
}

/** Existing clients of Mojaloop sign no DELETE, and protect neither Date nor destination. */
function signatureRules(settings: FspiopApiSettings): SignatureRules {
  const { COMPATIBILITY, JWS_VERIFY_ES256, JWS_DATE_WINDOW_S } = settings
  const isMojaloop = COMPATIBILITY === 'mojaloop'
  return {
    algorithms: JWS_VERIFY_ES256 === 'on' ? [...rsaAlgorithms, 'ES256'] : rsaAlgorithms,
    unsigned: isMojaloop ? ['GET', 'DELETE'] : ['GET'],
    dateWindow_ms: isMojaloop ? undefined : JWS_DATE_WINDOW_S * 1_000,
    relayedHeaders: relayedHeadersOf(settings),
  }
}

/** Whether authentication or signature verification depends on auth-service. */
function needsAuthService({ JWS_VERIFY, EDGE_IDENTITY }: FspiopApiSettings): boolean {
  return JWS_VERIFY === 'on' || EDGE_IDENTITY !== 'header'
}

/** Common names of the gateways that may forward the certificate of their client. */
export function gatewaysOf({
  EDGE_GATEWAY_SUBJECTS,
}: Pick<FspiopApiSettings, 'EDGE_GATEWAY_SUBJECTS'>): ReadonlySet<string> {
  return new Set(listIn(EDGE_GATEWAY_SUBJECTS))
}

/** Headers beside those of the API that are relayed, in lower case. Throws StartError for others. */
export function relayedHeadersOf({
  FSPIOP_API_RELAYED_HEADERS,
}: Pick<FspiopApiSettings, 'FSPIOP_API_RELAYED_HEADERS'>): ReadonlySet<string> {
  const names = listIn(FSPIOP_API_RELAYED_HEADERS.toLowerCase())
  const wrong = names.find((name) => !isSchemeHeader(name))
  if (wrong === undefined) return new Set(names)
  throw new StartError(
    `FSPIOP_API_RELAYED_HEADERS names ${wrong}, which a scheme cannot define: the name must begin with x- or fspiop- and be none that the API defines or that proxies and servers believe.`,
  )
}

function identifyBy(
  settings: FspiopApiSettings,
  { grpc }: Pick<ProcessParts, 'grpc'>,
  log: Logger,
): Identify {
  if (settings.EDGE_IDENTITY === 'header') return byHeader
  const requiresBinding = settings.EDGE_TOKEN_BINDING === 'required'
  return byToken({ grpc, log, hubName: settings.HUB_NAME, age_max_ms, requiresBinding })
}

/** The certificates of a file that may hold several. */
function certificatesIn(pem: string): readonly X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  return blocks.map((block) => new X509Certificate(block))
}

async function signingKeys(
  settings: FspiopApiSettings,
  setting: 'JWS_SIGNING_KEY_FILE' | 'JWS_AUTH_SERVICE_SIGNING_KEY_FILE',
  hsm: Token | undefined,
): Promise<HubKeys | undefined> {
  if (settings.JWS_SIGN === 'off') return undefined
  return openHubKeys(settings[setting], setting, Date.now, hsm)
}
