/** Access tokens as JWTs (RFC 9068), signed by the current token key, which may be in an HSM. */
import { randomUUID } from 'node:crypto'
import type { TokenKeys } from './token-keys.ts'

export interface Claims {
  readonly iss: string
  readonly aud: string
  readonly sub: string
  readonly [claim: string]: unknown
}

/** JWS in compact form (RFC 7515 3.1). */
export async function signedToken(
  tokenKeys: TokenKeys,
  claims: Claims,
  now: Date,
  life_s: number,
): Promise<string> {
  const { kid, sign } = await tokenKeys.current(now)
  const iat = Math.floor(now.getTime() / 1_000)
  const payload = { ...claims, jti: randomUUID(), iat, exp: iat + life_s }
  const input = `${encoded({ alg: 'ES256', typ: 'at+jwt', kid })}.${encoded(payload)}`
  return `${input}.${(await sign(Buffer.from(input))).toString('base64url')}`
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
