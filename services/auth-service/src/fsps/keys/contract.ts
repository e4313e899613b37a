/**
 * Maps keys between gRPC messages and the domain. Only public keys that can verify or encrypt are
 * accepted.
 */
import { isKid, readPublicKey } from '@causeway/fspiop'
import { present, type ParticipantKey } from '@causeway/protos'
import { createdByFault, isRefused, timeMessage, timeOf } from '../../contract.ts'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import type { Key, NewKey } from './domain/key.ts'

export interface KeyInput {
  readonly kid?: string | undefined
  readonly use: string
  readonly publicKey: string
  readonly validFrom?: string | undefined
  readonly validTo?: string | undefined
  readonly createdBy: string
}

/** The kid is the given one, otherwise that of the JWK, otherwise the thumbprint. */
export async function newKeyOf(words: KeyInput, now: Date): Promise<NewKey | RefusedCommand> {
  const { use } = words
  if (use !== 'sig' && use !== 'enc') return refuse('INVALID', 'use must be sig or enc')
  if (words.kid !== undefined && !isKid(words.kid)) {
    return refuse('INVALID', 'kid must have 1 to 256 visible ASCII characters')
  }
  const read = await readPublicKey(words.publicKey, use)
  if ('fault' in read) return refuse('INVALID', `publicKey: ${read.fault}`)
  const kid = words.kid ?? read.kid
  if (read.kid !== read.thumbprint && read.kid !== kid) {
    return refuse('INVALID', `kid is ${kid}, but the kid of the JWK is ${read.kid}`)
  }
  const validFrom = timeOf('validFrom', words.validFrom, now)
  if (isRefused(validFrom)) return validFrom
  const validTo = timeOf('validTo', words.validTo, null)
  if (validTo !== null && isRefused(validTo)) return validTo
  const fault = createdByFault(words.createdBy)
  if (fault !== undefined) return fault
  const { createdBy } = words
  const jwk = JSON.stringify({ ...read.key.export({ format: 'jwk' }), kid, use })
  return { kid, use, thumbprint: read.thumbprint, jwk, validFrom, validTo, createdBy }
}

export function keyMessage(key: Key): ParticipantKey {
  return {
    kid: key.kid,
    use: key.use,
    jwk: key.jwk,
    validFrom: timeMessage(key.validFrom),
    createdAt: timeMessage(key.createdAt),
    createdBy: key.createdBy,
    ...present({ validTo: key.validTo?.toISOString() }),
  }
}
