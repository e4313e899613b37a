/**
 * Two processes of the auth service share the topics of consents; one crashes after it has stored
 * its work.
 */
import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@causeway/fsp'
import { statement } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { ConsentEvent } from './contract.ts'
import { openMembers, type AnswerEvent, type Member, type Members } from './testing/members.ts'
import { challengeOf, deletion, fido, observed, pisp, registration } from './testing/messages.ts'

const origin = 'https://app.pispx.example'
const consent_count = 40
const takeover_ms_max = 60_000

const stepsStatement = statement(`
  select consent_id, string_agg(step, ' ' order by n) as steps
  from consent_steps group by consent_id order by consent_id`)
const consentsStatement = statement(`
  select state, verifier, count(*)::int as count from consents group by state, verifier`)

let members: Members
/** The first member that has stored a batch with such an event crashes. */
let deadly: ConsentEvent['name'] | undefined

beforeEach(async () => {
  deadly = undefined
  members = await openMembers()
})

afterEach(() => members.stop())

function isLast(batch: readonly ConsentEvent[]): boolean {
  if (!batch.some(({ name }) => name === deadly)) return false
  deadly = undefined
  return true
}

/** The observed PISP and DFSP of a consent, and its registration. */
function granted(id: string): readonly ConsentEvent[] {
  const attestation = createAuthenticator().register({ challenge: challengeOf(id), origin })
  return [observed(id), registration(id, fido(attestation))]
}

function answersOf(name: AnswerEvent['name']) {
  return members.received.filter((answer) => answer.name === name)
}

/** Different answers of each consent: a repeat of an answer has the same id. */
function timesAnswered(name: AnswerEvent['name'], ids: readonly string[]): readonly number[] {
  return ids.map((consentId) => {
    const own = answersOf(name).filter(({ payload }) => payload.consentId === consentId)
    return new Set(own.map(({ id }) => id)).size
  })
}

async function allAnswered(name: AnswerEvent['name'], ids: readonly string[]): Promise<void> {
  const isAnswered = () => timesAnswered(name, ids).every((times) => times > 0)
  await eventually(isAnswered, `${name} of every consent`, takeover_ms_max)
}

async function bothJoined(): Promise<void> {
  await eventually(async () => (await members.membersInGroup()) === 2, 'both', takeover_ms_max)
}

/**
 * Waits until one has crashed and its stored events are redelivered to the other; returns the
 * other.
 */
async function survivorOf(one: Member, other: Member): Promise<Member> {
  const [dead, living] = one.storedAtDeath.length > 0 ? [one, other] : [other, one]
  expect(dead.storedAtDeath.length).toBeGreaterThan(0)
  expect(living.storedAtDeath).toEqual([])
  const isRepeated = () => dead.storedAtDeath.every((id) => living.given.includes(id))
  await eventually(isRepeated, 'what the dead one had stored', takeover_ms_max)
  return living
}

test('A member that crashes between storing and committing its offsets leaves every consent issued once and revoked once', async () => {
  const ids = Array.from({ length: consent_count }, () => randomUUID())
  const once = ids.map(() => 1)

  const first = await members.join(isLast)
  const second = await members.join(isLast)
  await bothJoined()
  deadly = 'ConsentRegistrationReceived'
  await members.publish(ids.flatMap(granted))
  await allAnswered('ConsentRegistered', ids)
  const survivor = await survivorOf(first, second)

  const third = await members.join(isLast)
  await bothJoined()
  deadly = 'ConsentRevocationReceived'
  await members.publish(ids.map((id, at) => deletion(id, at % 2 === 0 ? {} : { from: pisp })))
  await allAnswered('ConsentRevoked', ids)
  await survivorOf(survivor, third)

  expect(timesAnswered('ConsentRegistered', ids)).toEqual(once)
  expect(timesAnswered('ConsentRevoked', ids)).toEqual(once)
  expect(answersOf('ConsentRefused')).toEqual([])
  expect(await members.db.query(consentsStatement, [])).toEqual([
    { state: 'REVOKED', verifier: null, count: consent_count },
  ])
  expect(await members.db.query(stepsStatement, [])).toEqual(
    ids.toSorted().map((consent_id) => ({
      consent_id,
      steps: 'PARTIES_OBSERVED CREDENTIAL_VERIFIED OWNERSHIP_CONFIRMED REVOKED',
    })),
  )
}, 180_000)
