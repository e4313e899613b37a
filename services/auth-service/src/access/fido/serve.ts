/** Serves FIDO credentials of users of components over gRPC. */
import { refusalMessage } from '@causeway/services'
import { credentialIdIn } from '@causeway/credentials'
import type { Handlers } from '@causeway/grpc'
import type { fidoService, FidoChallenge } from '@causeway/protos'
import { z } from 'zod'
import { timeMessage } from '../../contract.ts'
import type { RefusedCommand } from '../../domain/refusal.ts'
import {
  payloadOf,
  recordSignature,
  registerCredential,
  verifyAssertion,
  type Registered,
} from './ceremonies.ts'
import {
  createChallenge,
  userHandleOf,
  userIdFault,
  type FidoParts,
  type MadeChallenge,
} from './challenges.ts'
import type { Purpose } from './domain/challenge.ts'

const realm = 'USER'

export function serveFido(parts: FidoParts): Handlers<typeof fidoService> {
  return {
    async CreateFidoChallenge({ purpose, userId, ...transaction }) {
      const fault = userIdFault(userId)
      if (fault !== undefined) return { refusal: refusalMessage(fault) }
      const challenge = { realm, purpose, userId, ...boundTo(purpose, transaction) } as const
      return challengeAnswer(await createChallenge(parts, challenge, new Date()))
    },
    async RegisterFidoCredential({ userId, challenge, attestationJson, actor }) {
      const payload = await withCredentialId(payloadOf(attestationJson))
      const registration = { realm, userId, name: '', payload, challenge, actor } as const
      return registrationAnswer(await registerCredential(parts, registration, new Date()))
    },
    async VerifyFidoAssertion({ purpose, challenge, assertionJson, actor, ...transaction }) {
      const now = new Date()
      const assertion = {
        use: { realm, purposes: [purpose], ...boundTo(purpose, transaction) },
        payload: payloadOf(assertionJson),
        challenge,
        actor,
      } as const
      const verified = await verifyAssertion(parts, assertion, now, (tx, found) => {
        recordSignature(parts, tx, found, { actor, now })
        return Promise.resolve(found)
      })
      if (verified.type === 'REFUSE') return { refusal: refusalMessage(verified) }
      const { credential, signCount } = verified
      return { verified: { userId: credential.userId, signCount } }
    },
  }
}

interface Transaction {
  readonly transactionId?: string | undefined
  readonly transactionHash?: string | undefined
}

/** A transaction that is left out fits no challenge. */
function boundTo(purpose: Purpose, { transactionId = '', transactionHash = '' }: Transaction) {
  return purpose === 'AUTHORIZE' ? { transactionId, transactionHash } : {}
}

const unnamed = z.looseObject({
  response: z.looseObject({ attestationObject: z.string() }),
})

/** /fido-register names the credential in the attestation object only. */
async function withCredentialId(payload: unknown): Promise<unknown> {
  const { data } = unnamed.safeParse(payload)
  if (data === undefined || 'id' in data) return payload
  return { ...data, id: await credentialIdIn(data.response.attestationObject) }
}

export function challengeAnswer(made: MadeChallenge | RefusedCommand) {
  return made.type === 'REFUSE'
    ? { refusal: refusalMessage(made) }
    : { challenge: challengeMessage(made) }
}

export function challengeMessage(made: MadeChallenge): FidoChallenge {
  const ofRegistration = made.purpose === 'REGISTER' ? { userHandle: userHandleOf(made) } : {}
  return {
    challenge: made.challenge,
    rpId: made.rpId,
    credentialIds: [...made.credentialIds],
    expiresAt: timeMessage(made.expiresAt),
    ...ofRegistration,
  }
}

export function registrationAnswer(made: Registered | RefusedCommand) {
  if (made.type === 'REFUSE') return { refusal: refusalMessage(made) }
  const { credentialId, publicKey } = made
  return { credential: { credentialId, publicKey } }
}
