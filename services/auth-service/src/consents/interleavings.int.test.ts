/** The states of consents under any order of messages, with duplicates, redeliveries and crashes. */
import { roundsOf, derivedId } from '@causeway/events'
import { createAuthenticator } from '@causeway/fsp'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { parseEvent, type ConsentCommand, type ConsentEvent } from './contract.ts'
import { examineAll, handleBatch, idsOf, keysOf } from './handle.ts'
import { openConsentStore } from './store.ts'
import {
  again,
  challengeOf,
  challengeText,
  deletion,
  fido,
  notOwned,
  observed,
  owned,
  pisp,
  registration,
  signedWithFido,
  stranger,
  verification,
} from './testing/messages.ts'
import { openWorld, type ConsentsWorld } from './testing/world.ts'

const origin = 'https://app.pispx.example'
const challenge = Buffer.from(challengeText, 'base64url')

let parts: TestParts
let world: ConsentsWorld

beforeAll(async () => {
  parts = await openTestParts()
  world = await openWorld(parts)
})

afterAll(async () => {
  await world.db.close()
  await parts.stop()
})

const actions = [
  'observe',
  'register',
  'register',
  'registerOther',
  'registerWrong',
  'own',
  'own',
  'refuse',
  'deleteByDfsp',
  'deleteByPisp',
  'deleteByStranger',
  'patchByDfsp',
  'verify',
  'verify',
  'verifyWrong',
  'verifyByStranger',
  'replay',
  'duplicate',
  'redeliver',
] as const

/** What happens to a batch: a crash is followed by redelivery, in another split. */
const outcomes = [
  'whole',
  'whole',
  'twiceAtOnce',
  'crashExamined',
  'crashInside',
  'crashAfter',
] as const

const batches = fc.array(
  fc.record({
    outcome: fc.constantFrom(...outcomes),
    steps: fc.array(
      fc.record({
        action: fc.constantFrom(...actions),
        consent: fc.constantFrom(0, 0, 1),
        pick: fc.nat(99),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  { minLength: 1, maxLength: 10, size: 'max' },
)

/** A case may begin with an issued consent, so that later states occur often. */
const issuing = (['observe', 'register', 'own', 'verify'] as const).map((action) => ({
  action,
  consent: 0,
  pick: 0,
}))

/** One case: two consents, their devices, and what was sent. */
function openCase() {
  const consents = [0, 1].map(() => {
    const id = randomUUID()
    const device = createAuthenticator()
    const attestation = device.register({ challenge: challengeOf(id), origin })
    return { id, device, credential: fido(attestation) }
  })
  const sent: ConsentEvent[] = []
  const rightSignatures = new Set<string>()
  const used: object[] = []

  function make(action: (typeof actions)[number], at: number, pick: number): ConsentEvent {
    const consent = consents[at] ?? consents[0]
    if (consent === undefined) throw new Error('there is no consent')
    const { id, device, credential } = consent
    const wrong = fido(createAuthenticator().register({ challenge: Buffer.alloc(32), origin }))
    switch (action) {
      case 'observe':
        return observed(id)
      case 'register':
        return registration(id, credential)
      case 'registerOther':
        return registration(id, credential, { body: { more: pick } })
      case 'registerWrong':
        return registration(id, wrong)
      case 'own':
        return owned(id)
      case 'refuse':
        return notOwned(id)
      case 'deleteByDfsp':
        return deletion(id)
      case 'deleteByPisp':
        return deletion(id, { from: pisp })
      case 'deleteByStranger':
        return deletion(id, { from: stranger })
      case 'patchByDfsp':
        return deletion(id, { revokedAt: '2026-01-15T11:00:00.000Z' })
      case 'verify': {
        const signed = signedWithFido(device.assert({ challenge, origin }))
        used.push({ id, signed })
        const event = verification(randomUUID(), id, signed)
        rightSignatures.add(event.payload.verificationRequestId)
        return event
      }
      case 'verifyWrong':
        return verification(
          randomUUID(),
          id,
          signedWithFido(createAuthenticator().assert({ challenge, origin })),
        )
      case 'verifyByStranger': {
        const signed = signedWithFido(device.assert({ challenge, origin }))
        return verification(randomUUID(), id, signed, { from: stranger })
      }
      case 'replay': {
        const old = used[pick % Math.max(used.length, 1)] as
          | { id: string; signed: object }
          | undefined
        if (old === undefined) return observed(id)
        const event = verification(randomUUID(), old.id, old.signed)
        rightSignatures.add(event.payload.verificationRequestId)
        return event
      }
      case 'duplicate':
      case 'redeliver': {
        const old = sent[pick % Math.max(sent.length, 1)] ?? observed(id)
        return action === 'duplicate' ? again(old) : old
      }
    }
  }

  return {
    ids: consents.map(({ id }) => id),
    sent,
    rightSignatures,
    send(steps: readonly { action: (typeof actions)[number]; consent: number; pick: number }[]) {
      const events = steps.map(({ action, consent, pick }) => make(action, consent, pick))
      sent.push(...events)
      return events
    },
  }
}

async function deliver(outcome: (typeof outcomes)[number], batch: readonly ConsentEvent[]) {
  switch (outcome) {
    case 'whole':
      await world.handle(...batch)
      return
    case 'twiceAtOnce':
      await Promise.all([world.handle(...batch), world.handle(...batch)])
      return
    case 'crashExamined':
      await examineFirst(batch)
      break
    case 'crashInside':
      await expect(handleBatch(crashingWork(), batch)).rejects.toThrow('crash')
      break
    case 'crashAfter':
      await world.handle(...batch)
      break
  }
  for (const event of batch) await world.handle(event)
}

/** The crash comes before anything is stored: results in memory are lost. */
async function examineFirst(batch: readonly ConsentEvent[]) {
  const { participant, store } = world.work()
  const asked = batch.flatMap((event) => parseEvent(event, participant) ?? [])
  const [round = []] = roundsOf(asked, idsOf)
  const commands = round as readonly ConsentCommand[]
  await examineAll(commands, await store.read(keysOf(commands)), [])
}

/** All statements have run, and the transaction ends before COMMIT. */
function crashingWork() {
  const announce = () => {
    throw new Error('crash')
  }
  return { ...world.work(), store: openConsentStore(world.db, { announce }) }
}

interface Answer {
  readonly type: string
  readonly id: string
  readonly payload: {
    readonly consentId?: string
    readonly verificationRequestId?: string
    readonly result?: { readonly authenticationResponse?: string }
  }
}

function verifiedRequest({ payload }: Answer): string | undefined {
  const { result, verificationRequestId } = payload
  return result?.authenticationResponse === 'VERIFIED' ? verificationRequestId : undefined
}

function checkAnswers(
  { sent, ids, rightSignatures }: ReturnType<typeof openCase>,
  answers: readonly Answer[],
) {
  const counts = new Map<string, number>()
  for (const { id } of answers) counts.set(id, (counts.get(id) ?? 0) + 1)
  const finals = (event: ConsentEvent, ...names: readonly string[]) =>
    names.reduce((sum, name) => sum + Math.min(counts.get(derivedId(event.id, name)) ?? 0, 1), 0)
  const unique = [...new Map(sent.map((event) => [event.id, event])).values()]
  const contentOf = ({ relay }: ConsentEvent) => relay?.body.toString()
  for (const event of unique) {
    if (event.name === 'VerificationReceived') {
      expect(finals(event, 'VerificationAnswered')).toBe(1)
    } else if (event.name === 'ConsentRegistrationReceived') {
      const answered = (one: ConsentEvent) => finals(one, 'ConsentRegistered', 'ConsentRefused')
      expect(answered(event)).toBeLessThanOrEqual(1)
      // A repeat of a pending registration is answered with it.
      const same = unique.filter((other) => contentOf(other) === contentOf(event))
      expect(Math.max(...same.map(answered))).toBe(1)
    } else if (event.name === 'ConsentRevocationReceived') {
      // A revocation that the DFSP has sent to its PISP itself gets no answer.
      const isDeletion = event.payload.revokedAt === undefined
      expect(finals(event, 'ConsentRevoked', 'ConsentRefused')).toBe(isDeletion ? 1 : 0)
    }
  }
  for (const answer of answers) {
    const verified = verifiedRequest(answer)
    if (verified !== undefined) expect(rightSignatures).toContain(verified)
  }
  for (const id of ids) checkRevoked(id, answers)
}

/** Nothing is verified or registered once both parties have received the revocation. */
function checkRevoked(consentId: string, answers: readonly Answer[]) {
  const ofConsent = answers.filter(({ payload }) => payload.consentId === consentId)
  const end = ofConsent.findIndex(({ type }) => type === 'ConsentRevoked')
  if (end < 0) return
  const later = ofConsent.slice(end + 1)
  expect(later.filter(({ type }) => type === 'ConsentRegistered')).toEqual([])
  expect(later.flatMap((answer) => verifiedRequest(answer) ?? [])).toEqual([])
}

test('With messages in any order, repeated and interrupted by crashes, each request ends once and no forbidden verification happens', async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), batches, async (isIssued, all) => {
      const from = world.published.length
      const one = openCase()
      if (isIssued) await world.handle(...one.send(issuing))
      for (const { outcome, steps } of all) await deliver(outcome, one.send(steps))
      world.after(60_000)
      await world.sweep(60_000)
      const answers = world.published.slice(from) as unknown as readonly Answer[]
      checkAnswers(one, answers)
      for (const id of one.ids) {
        const consent = await world.consent(id)
        expect(consent?.state).not.toBe('PENDING')
        const steps = await world.steps(id)
        if (consent?.state === 'ISSUED') {
          expect(steps).toContain('CREDENTIAL_VERIFIED bankx')
          expect(steps).toContain('OWNERSHIP_CONFIRMED centralAuth')
        } else {
          expect(consent?.verifier ?? null).toBeNull()
        }
        // REVOKED is final.
        const revoked = steps.findIndex((step) => step.startsWith('REVOKED '))
        const after = revoked < 0 ? [] : steps.slice(revoked + 1)
        expect(
          after.filter((step) => /^(CREDENTIAL_VERIFIED|OWNERSHIP|REVOKED )/.test(step)),
        ).toEqual([])
      }
    }),
    { numRuns: 60 },
  )
}, 180_000)
