import { beforeEach, describe, expect, test } from '@jest/globals'
import { openEdge, reachable, type TestEdge } from '../testing/edge.ts'
import { every, ofHubAlone } from '../testing/every.ts'
import {
  errorInformation,
  id,
  message,
  partyAnswer,
  withHeaders,
  type TestMessage,
} from '../testing/messages.ts'
import { everyRelayed } from '../testing/thirdparty.ts'

const notAsked = '400 3100 header fspiop-source: the destination has not asked this FSP'
const notOwner = '400 3100 header fspiop-source is not the FSP of the party'
const unreadable = /^503 2003 the (owner|request that it answers) cannot be read/

let edge: TestEdge
beforeEach(() => {
  edge = openEdge()
  edge.participants.set('redcredit', reachable('redcredit'))
  edge.runForLong()
})

function from(source: string, sent: TestMessage, destination = 'greenbank'): TestMessage {
  return withHeaders(sent, { 'fspiop-source': source, 'fspiop-destination': destination })
}

function withFsp(source: string): object {
  const { party } = partyAnswer
  return { party: { ...party, partyIdInfo: { ...party.partyIdInfo, fspId: source } } }
}

const party = 'MSISDN/123456789'
const subParty = 'PERSONAL_ID/A12345/PASSPORT'

describe.each([party, subParty])('Answers about the party %s', (name) => {
  const path = `/parties/${name}`
  const answer = (source: string, at = path) => from(source, message('PUT', at, withFsp(source)))
  const refusal = (source: string) =>
    from(source, message('PUT', `${path}/error`, { errorInformation }))

  test('An FSP to which the party does not belong is refused, however often, and the owner is relayed', async () => {
    edge.owners.set(`redcredit ${name}`, 'OTHERS')
    await edge.outcomeOf(from('greenbank', message('GET', path), ''))
    edge.published.splice(0)
    for (let at = 0; at < 10; at++) {
      expect(await edge.outcomeOf(answer('redcredit'))).toBe(notOwner)
      expect(await edge.outcomeOf(refusal('redcredit'))).toBe(notOwner)
    }
    expect(edge.published).toEqual([])
    expect(await edge.outcomeOf(answer('bluewallet'))).toBe('200')
    expect(await edge.outcomeOf(refusal('bluewallet'))).toBe('200')
    expect(edge.published).toHaveLength(2)
  })

  test('An FSP that was asked by name may answer the one that has asked, and no other', async () => {
    edge.owners.set(`redcredit ${name}`, 'OTHERS')
    expect(await edge.outcomeOf(from('greenbank', message('GET', path), 'redcredit'))).toBe('202')
    expect(await edge.outcomeOf(answer('redcredit'))).toBe('200')
    expect(await edge.outcomeOf(refusal('redcredit'))).toBe('200')
    expect(await edge.outcomeOf(from('redcredit', answer('redcredit'), 'bluewallet'))).toBe(
      notOwner,
    )
  })

  test('Only an FSP that was asked by name answers for a party without an owner', async () => {
    edge.owners.set(`redcredit ${name}`, 'NONE')
    expect(await edge.outcomeOf(answer('redcredit'))).toBe(notAsked)
    await edge.outcomeOf(from('greenbank', message('GET', path), 'redcredit'))
    expect(await edge.outcomeOf(answer('redcredit'))).toBe('200')
  })

  test('While the owner cannot be read only an FSP that was asked by name may answer', async () => {
    edge.owners.set(`redcredit ${name}`, 'UNAVAILABLE')
    expect(await edge.outcomeOf(answer('redcredit'))).toMatch(unreadable)
    await edge.outcomeOf(from('greenbank', message('GET', path), 'redcredit'))
    expect(await edge.outcomeOf(answer('redcredit'))).toBe('200')
  })
})

test('A telephone number is the same with and without its plus sign', async () => {
  edge.owners.set('redcredit MSISDN/1', 'OTHERS')
  await edge.outcomeOf(from('greenbank', message('GET', '/parties/MSISDN/+1'), 'redcredit'))
  const answer = message('PUT', '/parties/MSISDN/1', withFsp('redcredit'))
  expect(await edge.outcomeOf(from('redcredit', answer))).toBe('200')
})

describe('Answers that name the FSP of a party', () => {
  const answer = (source: string) =>
    from(source, message('PUT', `/participants/${party}`, { fspId: source }))

  test.each([
    ['OWNER', '200'],
    ['OTHERS', notOwner],
    ['NONE', notOwner],
  ] as const)('When account-lookup says %s, it is answered %s', async (owner, outcome) => {
    edge.owners.set(`redcredit ${party}`, owner)
    expect(await edge.outcomeOf(answer('redcredit'))).toBe(outcome)
  })

  test.each(ofHubAlone.map(({ operation, sent }) => [operation, sent] as const))(
    '%s is the answer of the hub alone',
    async (_operation, sent) => {
      const young = openEdge()
      expect(await young.outcomeOf(sent)).toBe(notAsked)
      expect(young.published).toEqual([])
    },
  )
})

/** Answers about an id, each with the message that it answers, as both are relayed. */
const asked = new Map(
  [...every, ...everyRelayed].map(({ operation, sent }) => [operation as string, sent] as const),
)
const byId = [
  ['PUT /transactionRequests/{ID}', 'GET /transactionRequests/{ID}'],
  ['PUT /authorizations/{ID}', 'GET /authorizations/{ID}'],
  ['PUT /transactions/{ID}', 'GET /transactions/{ID}'],
  ['PUT /accounts/{ID}', 'GET /accounts/{ID}'],
  ['PUT /consentRequests/{ID}', 'POST /consentRequests'],
  ['PUT /consentRequests/{ID}', 'GET /consentRequests/{ID}'],
  ['PUT /thirdpartyRequests/transactions/{ID}', 'POST /thirdpartyRequests/transactions'],
  ['PATCH /thirdpartyRequests/transactions/{ID}', 'POST /thirdpartyRequests/transactions'],
  ['PUT /thirdpartyRequests/authorizations/{ID}', 'POST /thirdpartyRequests/authorizations'],
  ['PUT /thirdpartyRequests/verifications/{ID}', 'POST /thirdpartyRequests/verifications'],
] as const

function messageOf(operation: string): TestMessage {
  const sent = asked.get(operation)
  if (sent === undefined) throw new Error(`there is no ${operation}`)
  return sent
}

describe.each(byId)('%s that answers %s', (operation, question) => {
  const answer = (source = 'redcredit', destination = 'greenbank') =>
    edge.outcomeOf(from(source, messageOf(operation), destination))
  const refuse = () => {
    const sent = messageOf(operation)
    const path = `${sent.path}/error`
    return edge.outcomeOf(
      from('redcredit', { ...message('PUT', path, { errorInformation }), headers: sent.headers }),
    )
  }

  test('An FSP that was not asked is refused, and nothing is relayed', async () => {
    expect(await answer()).toBe(notAsked)
    expect(await refuse()).toBe(notAsked)
    expect(edge.published).toEqual([])
  })

  test('The FSP that was asked may answer the one that has asked, several times, and no other', async () => {
    expect(await edge.outcomeOf(from('greenbank', messageOf(question), 'redcredit'))).toBe('202')
    expect([await answer(), await answer(), await refuse()]).toEqual(['200', '200', '200'])
    expect(await answer('redcredit', 'bluewallet')).toBe(notAsked)
    expect(await answer('bluewallet')).toBe(notAsked)
  })

  test('An answer gives the FSP that receives it no right to answer', async () => {
    await edge.outcomeOf(from('redcredit', messageOf(question), 'greenbank'))
    expect(await answer('greenbank', 'redcredit')).toBe('200')
    expect(await answer()).toBe(notAsked)
  })

  test('In the first minutes after the start every answer is relayed, since a message before it may have asked for it', async () => {
    edge = openEdge()
    edge.participants.set('redcredit', reachable('redcredit'))
    expect([await answer(), await refuse()]).toEqual(['200', '200'])
  })
})

describe.each([
  ['PUT /transactionRequests/{ID}', 'transactionRequests'],
  ['PUT /authorizations/{ID}', 'transactionRequests'],
  ['PUT /consentRequests/{ID}', 'consentRequests'],
  ['PUT /thirdpartyRequests/transactions/{ID}', 'thirdpartyRequests/transactions'],
  ['PATCH /thirdpartyRequests/transactions/{ID}', 'thirdpartyRequests/transactions'],
  ['PUT /thirdpartyRequests/authorizations/{ID}', 'thirdpartyRequests/authorizations'],
])('%s', (operation, resource) => {
  const idIn = (sent: TestMessage) => /([0-9a-f-]{36})/.exec(sent.path)?.[1] ?? id
  const key = `${resource}/${idIn(messageOf(operation))}`
  const answer = () => edge.outcomeOf(from('redcredit', messageOf(operation)))

  test('The FSPs of the request that is recorded behind the id may answer long after it', async () => {
    edge.recorded.set(key, ['redcredit', 'greenbank'])
    expect(await answer()).toBe('200')
  })

  test('An FSP that is not one of the recorded ones is refused right after the start, too', async () => {
    edge = openEdge()
    edge.participants.set('redcredit', reachable('redcredit'))
    edge.recorded.set(key, ['bluewallet', 'greenbank'])
    expect(await answer()).toBe(notAsked)
  })

  test('An answer is refused with 503 while the request cannot be read', async () => {
    edge.recorded.set(key, 'UNAVAILABLE')
    expect(await answer()).toMatch(unreadable)
  })
})

test.each(['PUT /transactionRequests/{ID}', 'PUT /authorizations/{ID}'])(
  '%s is relayed from every FSP with Mojaloop compatibility, since nothing is recorded behind its id',
  async (operation) => {
    edge = openEdge({ COMPATIBILITY: 'mojaloop' })
    edge.participants.set('redcredit', reachable('redcredit'))
    edge.runForLong()
    expect(await edge.outcomeOf(from('redcredit', messageOf(operation)))).toBe('200')
  },
)

describe('Answers about a consent', () => {
  const put = messageOf('PUT /consents/{ID}')
  const consent = `CONSENT/${/([0-9a-f-]{36})/.exec(put.path)?.[1]}`
  const answer = () => edge.outcomeOf(from('redcredit', put))

  test('A consent that is registered is answered for by its auth service, and by an FSP that was asked', async () => {
    edge.owners.set(`redcredit ${consent}`, 'OTHERS')
    expect(await answer()).toBe(notAsked)
    expect(edge.published).toEqual([])
    await edge.outcomeOf(from('greenbank', messageOf('POST /consents'), 'redcredit'))
    expect(await answer()).toBe('200')
  })

  test('A registered consent is answered for by any FSP while it is not known who was asked', async () => {
    edge = openEdge()
    edge.participants.set('redcredit', reachable('redcredit'))
    edge.owners.set(`redcredit ${consent}`, 'OTHERS')
    expect(await answer()).toBe('200')
  })

  test('A DFSP may answer the credential of a PISP when the auth service has registered the consent', async () => {
    edge.owners.set(`greenbank ${consent}`, 'OTHERS')
    const verified = () => edge.outcomeOf(from('greenbank', put, 'redcredit'))
    expect(await verified()).toBe(notAsked)
    await edge.outcomeOf(from('greenbank', messageOf('POST /consents'), 'redcredit'))
    expect(await answer()).toBe('200')
    expect(await verified()).toBe('200')
  })

  test('A consent that no auth service has registered may be answered for at any time', async () => {
    edge.owners.set(`redcredit ${consent}`, 'NONE')
    expect(await answer()).toBe('200')
  })
})
