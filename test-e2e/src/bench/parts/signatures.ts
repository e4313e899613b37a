/** What it costs to check a signature and to make one: RS256, keys of 2,048 bits. */
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { body } from './http.ts'
import { costOf, ownCpu_us, repeated } from './measure.ts'

export interface SignatureCosts {
  readonly verify_us: number
  readonly sign_us: number
}

export async function signatureCosts(): Promise<SignatureCosts> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const text = Buffer.from(body)
  const signature = sign('sha256', text, privateKey)
  const cost = (one: () => unknown) =>
    costOf((until_ms) => repeated(() => Promise.resolve(one()), 1, until_ms), ownCpu_us)
  return {
    verify_us: await cost(() => verify('sha256', text, publicKey, signature)),
    sign_us: await cost(() => sign('sha256', text, privateKey)),
  }
}
