/** A test server for auth-service: it has the keys and secrets that a test gives it. */
import { generateKeyPairSync, randomUUID, X509Certificate, type KeyObject } from 'node:crypto'
import type { Handlers } from '@causeway/grpc'
import {
  credentialsService,
  keysService,
  type ParticipantKey,
  type RegisteredCertificate,
} from '@causeway/protos'
import type { TestParts } from '@causeway/runtime/testing'
import { exportJWK, SignJWT, type JWK } from 'jose'

export interface Auth {
  readonly keys: Map<string, readonly ParticipantKey[]>
  /** By FSP. */
  readonly certificates: Map<string, readonly RegisteredCertificate[]>
  /** By client id. */
  readonly secrets: Map<string, string>
  /** The keys that verify tokens. */
  readonly tokenKeys: JWK[]
  /** How often keys of FSPs, and keys of tokens, were queried. */
  readonly asked: { keys: number; tokenKeys: number; certificates: number }
  /** True: it does not answer. */
  isAway: boolean
}

export function emptyAuth(): Auth {
  return {
    keys: new Map(),
    certificates: new Map(),
    secrets: new Map(),
    tokenKeys: [],
    asked: { keys: 0, tokenKeys: 0, certificates: 0 },
    isAway: false,
  }
}

export function serveAuth(parts: TestParts): Auth {
  const auth = emptyAuth()
  const away = () => Promise.reject(new Error('away'))
  parts.grpc.serve(keysService, {
    ...notAsked(keysService),
    GetParticipantKeys({ names }) {
      auth.asked.keys += 1
      if (auth.isAway) return away()
      const participants = names.flatMap((participant) => {
        const keys = auth.keys.get(participant)
        return keys === undefined ? [] : { participant, keys: [...keys] }
      })
      return Promise.resolve({ participants })
    },
  })
  parts.grpc.serve(credentialsService, {
    ...notAsked(credentialsService),
    IssueToken({ clientId, clientSecret }) {
      if (auth.isAway) return away()
      const isRight = auth.secrets.get(clientId) === clientSecret
      const token = { accessToken: `token-of-${clientId}`, expiresInS: 300 }
      const refusal = {
        reason: 'SECRET_WRONG' as const,
        detail: 'no such client, or not its secret',
      }
      return Promise.resolve(isRight ? { token } : { refusal })
    },
    GetCertificates({ names }) {
      auth.asked.certificates += 1
      if (auth.isAway) return away()
      const participants = names.flatMap((participant) => {
        const certificates = auth.certificates.get(participant)
        return certificates === undefined ? [] : { participant, certificates: [...certificates] }
      })
      return Promise.resolve({ participants })
    },
    GetTokenKeys() {
      auth.asked.tokenKeys += 1
      if (auth.isAway) return away()
      return Promise.resolve({ jwksJson: JSON.stringify({ keys: auth.tokenKeys }) })
    },
  })
  return auth
}

/** All other methods, which the edge does not call. */
export function notAsked<Service extends object>(service: Service): Handlers<Service> {
  const refuse = () => Promise.reject(new Error('the edge does not ask this'))
  const methods = Object.keys(service).map((name) => [name, refuse])
  return Object.fromEntries(methods) as Handlers<Service>
}

/** The key in the format of auth-service. */
export function participantKey(
  kid: string,
  key: KeyObject,
  changed: Partial<ParticipantKey> = {},
): ParticipantKey {
  return {
    kid,
    use: 'sig',
    jwk: JSON.stringify(key.export({ format: 'jwk' })),
    validFrom: '2026-01-01T00:00:00.000Z',
    createdAt: '2026-01-01T00:00:00.000Z',
    createdBy: 'operator',
    ...changed,
  }
}

/** The certificate in the format of auth-service. */
export function registered(
  pem: string,
  changed: Partial<RegisteredCertificate> = {},
): RegisteredCertificate {
  const { serialNumber: serial, fingerprint256 } = new X509Certificate(pem)
  return {
    serial,
    fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
    origin: 'REGISTERED',
    validFrom: '2026-01-01T00:00:00.000Z',
    validTo: '2030-01-01T00:00:00.000Z',
    registeredAt: '2026-01-01T00:00:00.000Z',
    ...changed,
  }
}

export interface TokenIssuer {
  readonly jwk: JWK
  /** Undefined omits a claim or a member of the header. */
  token(
    claims?: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, string>>,
  ): Promise<string>
}

/** Issues tokens as auth-service does, with the given changes. */
export async function openTokenIssuer(kid: string): Promise<TokenIssuer> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }
  return {
    jwk,
    token(claims = {}, header = {}) {
      const now_s = Math.floor(Date.now() / 1_000)
      const all = {
        iss: 'Hub',
        aud: 'fsp-api',
        sub: 'greenbank',
        client_id: 'greenbank',
        jti: randomUUID(),
        iat: now_s,
        exp: now_s + 300,
        ...claims,
      }
      return new SignJWT(all)
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
        .sign(privateKey)
    },
  }
}

/** For `openWorld`: an auth-service that has the key of the issuer. */
export function authWith({ jwk }: TokenIssuer) {
  return (parts: Parameters<typeof serveAuth>[0]) => {
    const auth = serveAuth(parts)
    auth.tokenKeys.push(jwk)
    return auth
  }
}
