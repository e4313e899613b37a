/**
 * Answers requests for random bytes that come as events. The answer is encrypted for the public key in
 * the request, so that the asking component alone reads it. It is stateless: a request that is delivered
 * again gets another value.
 */
import { createPublicKey, type KeyObject } from 'node:crypto'
import type { EventBus, Subscribed } from '@causeway/bus'
import { derivedId, newEvent, onEvents, type DomainEvent } from '@causeway/events'
import type { Queries } from '@causeway/postgres'
import type { Logger } from '@causeway/process'
import { CompactEncrypt } from 'jose'
import { isRefused } from '@causeway/services'
import type { Adapters } from './adapters.ts'

type RandomNumberRequest = DomainEvent<'/random-number-gen'>

export interface RandomNumberParts {
  readonly db: Queries
  readonly bus: EventBus
  readonly providers: Adapters
  readonly log: Logger
}

export function answerRandomNumbers(parts: RandomNumberParts): Promise<Subscribed> {
  return onEvents(
    parts.bus,
    'auth_service.random_numbers',
    ['/random-number-gen'],
    async (requests, { publishDerived }) => {
      const provider = await parts.providers.active(parts.db)
      if (isRefused(provider)) throw new Error(provider.detail)
      const answers = await Promise.all(
        requests.map((request) => answerTo(request, provider.random.bind(provider), parts.log)),
      )
      await publishDerived(answers.flat())
    },
  )
}

/** None for a key that is no point on its curve: there is no one to encrypt for. */
async function answerTo(
  { id, payload }: RandomNumberRequest,
  random: (length_bytes: number) => Buffer,
  log: Logger,
) {
  const { requestId, byteLength, encoding, publicJwk } = payload
  const publicKey = publicKeyOf(publicJwk)
  if (publicKey === undefined) {
    log.warn({ requestId }, 'a request for random bytes has an invalid public key')
    return []
  }
  const value = Buffer.from(random(byteLength).toString(encoding))
  const encryptedValue = await new CompactEncrypt(value)
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
    .encrypt(publicKey)
  const event = { requestId, encryptedValue }
  return [
    newEvent('auth-service', 'RandomNumberGenerated', event, {
      id: derivedId(id, 'RandomNumberGenerated'),
    }),
  ]
}

function publicKeyOf(jwk: RandomNumberRequest['payload']['publicJwk']): KeyObject | undefined {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' })
  } catch {
    return undefined
  }
}
