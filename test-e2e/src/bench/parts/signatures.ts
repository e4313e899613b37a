/** The cost of verifying a signature and of making one: RS256, keys of 2,048 bits. */
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { body } from './http.ts'
import { costOf, ownCpu_us, type Pacing } from './measure.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const text = Buffer.from(body)

export function verifyCost(pacing: Pacing): Promise<number> {
  const signature = sign('sha256', text, privateKey)
  return cost(() => verify('sha256', text, publicKey, signature), pacing)
}

export function signCost(): Promise<number> {
  return cost(() => sign('sha256', text, privateKey), { type: 'BUSY' })
}

function cost(one: () => unknown, pacing: Pacing): Promise<number> {
  return costOf({ one: () => Promise.resolve(one()), at_once: 1 }, ownCpu_us, pacing)
}
