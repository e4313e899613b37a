/** The FSP of a party and the party's data, as FSPs look them up. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Fsp } from './fsp/fsp.ts'
import { at, newPhoneNumber, own, partyOf } from './fsp/payment.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { errorOf } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  payer = await scheme.join('greenbank-lookup')
  payee = await scheme.join('bluewallet-lookup')
})

afterAll(() => scheme.stop())

async function lookUp(path: string) {
  const after = payer.received.length
  const { status } = await payer.send('GET', path)
  expect(status).toBe(202)
  return {
    answer: () => payer.await(at('PUT', path), { after }),
    error: async (timeout_ms?: number) => {
      const options = { after, ...(timeout_ms === undefined ? {} : { timeout_ms }) }
      return errorOf(await payer.await(at('PUT', `${path}/error`), options))
    },
  }
}

function refusalOf(errorCode: string) {
  return { errorInformation: { errorCode, errorDescription: 'refused' } }
}

test('A lookup reaches the FSP of the party, and its answer arrives byte for byte', async () => {
  const phone = newPhoneNumber()
  await own(payee, phone)
  const path = `/parties/MSISDN/${phone}`
  const { answer } = await lookUp(path)

  const asked = await payee.await(at('GET', path))
  expect(asked.headers).toMatchObject({
    'fspiop-source': 'greenbank-lookup',
    'fspiop-destination': 'bluewallet-lookup',
    accept: 'application/vnd.interoperability.parties+json;version=1.1',
  })
  expect(asked.body.length).toBe(0)
  const body = `{ "party" : ${JSON.stringify(partyOf(payee, phone, 'Zoë Çelik'))} , "extra":"\\u00fc"}`
  const acknowledgement = await payee.send('PUT', path, body, {
    'fspiop-destination': 'greenbank-lookup',
  })
  expect([acknowledgement.status, acknowledgement.body]).toEqual([200, ''])

  const party = await answer()
  expect(party.body.toString()).toBe(body)
  expect(party.headers).toMatchObject({
    'fspiop-source': 'bluewallet-lookup',
    'fspiop-destination': 'greenbank-lookup',
    'content-type': 'application/vnd.interoperability.parties+json;version=1.1',
  })
})

test('A sub id and a query are relayed unchanged', async () => {
  const phone = newPhoneNumber()
  const path = `/participants/BUSINESS/${phone}/till%201`.replace('%20', '-')
  const after = payee.received.length
  await payee.send('POST', path, { fspId: payee.name })
  await payee.await(at('PUT', path), { after })
  await payer.send('GET', `/parties/BUSINESS/${phone}/till-1?currency=USD`)
  const asked = await payee.await(
    ({ method, path: target }) => method === 'GET' && target.includes(phone),
  )
  expect(asked.path).toBe(`/parties/BUSINESS/${phone}/till-1?currency=USD`)
})

test("A refusal of the party's FSP reaches the FSP that looked it up, unchanged", async () => {
  const phone = newPhoneNumber()
  await own(payee, phone)
  const path = `/parties/MSISDN/${phone}`
  const { error } = await lookUp(path)
  await payee.await(at('GET', path))
  const refusal = { errorInformation: { errorCode: '5400', errorDescription: 'Blocked' } }
  await payee.send('PUT', `${path}/error`, refusal, { 'fspiop-destination': 'greenbank-lookup' })
  expect(await error()).toEqual(refusal.errorInformation)
})

describe('The FSP that answers a lookup', () => {
  let other: Fsp
  const to = { 'fspiop-destination': 'greenbank-lookup' }

  beforeAll(async () => {
    other = await scheme.join('amberpay-lookup')
  })

  test('An FSP to which the number does not belong is refused, however often, and only the answer of the owner arrives', async () => {
    const phone = newPhoneNumber()
    await own(payee, phone)
    const path = `/parties/MSISDN/${phone}`
    const before = payer.received.length
    const forge = async () => {
      const party = { party: partyOf(other, phone, 'The True Shop') }
      const answers = [
        await other.send('PUT', path, party, to),
        await other.send('PUT', `${path}/error`, refusalOf('3204'), to),
        await other.send('PUT', `/participants/MSISDN/${phone}`, { fspId: other.name }, to),
      ]
      for (const { status, body } of answers) {
        expect([status, JSON.parse(body)]).toMatchObject([
          400,
          { errorInformation: { errorCode: '3100' } },
        ])
      }
    }
    await forge()
    const { answer } = await lookUp(path)
    await forge()
    await payee.await(at('GET', path))
    await forge()
    const party = { party: partyOf(payee, phone, 'Zoë Çelik') }
    await payee.send('PUT', path, party, to)
    expect((await answer()).json()).toEqual(party)
    await forge()
    const about = payer.received.slice(before).filter((each) => each.path.includes(phone))
    expect(about.map(({ headers }) => headers['fspiop-source'])).toEqual([payee.name])
  })

  test('The FSP that was asked may answer when the number has moved to another one meanwhile', async () => {
    const phone = newPhoneNumber()
    await own(payee, phone)
    const path = `/parties/MSISDN/${phone}`
    const { answer } = await lookUp(path)
    await payee.await(at('GET', path))
    const removing = { after: payee.received.length }
    await payee.send('DELETE', `/participants/MSISDN/${phone}`)
    await payee.await(at('PUT', `/participants/MSISDN/${phone}`), removing)
    await own(other, phone)
    const party = { party: partyOf(payee, phone, 'Zoë Çelik') }
    expect((await payee.send('PUT', path, party, to)).status).toBe(200)
    expect((await answer()).json()).toEqual(party)
  })

  test('An FSP that is asked by name may answer for a number that the hub does not know', async () => {
    const phone = newPhoneNumber()
    const path = `/parties/MSISDN/${phone}`
    const after = payer.received.length
    await payer.send('GET', path, undefined, { 'fspiop-destination': other.name })
    await other.await(at('GET', path))
    const party = { party: partyOf(other, phone, 'Zoë Çelik') }
    expect((await other.send('PUT', path, party, to)).status).toBe(200)
    expect((await payer.await(at('PUT', path), { after })).json()).toEqual(party)
  })
})

describe('A lookup without a result', () => {
  test('A lookup of a party that no FSP has registered fails with 3204', async () => {
    const { error } = await lookUp(`/parties/MSISDN/${newPhoneNumber()}`)
    expect(await error()).toMatchObject({ errorCode: '3204' })
  })

  test('A lookup of a party whose FSP is not active fails with 3201', async () => {
    const sleeper = await scheme.join('sleeper-lookup')
    const phone = newPhoneNumber()
    await own(sleeper, phone)
    await scheme.operator.call('PUT', '/participants/sleeper-lookup', { isActive: false })
    // A service in a process of its own learns of it by an event.
    let failure: unknown
    while (failure === undefined) {
      const { error } = await lookUp(`/parties/MSISDN/${phone}`)
      failure = await error(1_000).catch(() => undefined)
    }
    expect(failure).toMatchObject({ errorCode: '3201' })
  })

  test('A lookup at an unknown FSP fails with 3201', async () => {
    const path = `/parties/MSISDN/${newPhoneNumber()}`
    await payer.send('GET', path, undefined, { 'fspiop-destination': 'nobody' })
    const callback = await payer.await(at('PUT', `${path}/error`))
    expect(errorOf(callback)).toMatchObject({ errorCode: '3201' })
  })

  test.each([
    [400, '3000'],
    [406, '3001'],
    [501, '2002'],
  ])(
    'When the FSP of the party answers a lookup with %i, it fails with %s',
    async (status, errorCode) => {
      const phone = newPhoneNumber()
      await own(payee, phone)
      payee.answerWith(({ method }) => (method === 'GET' ? status : 200))
      const { error } = await lookUp(`/parties/MSISDN/${phone}`)
      expect(await error()).toMatchObject({ errorCode })
      payee.answerWith(({ method }) => (method === 'POST' || method === 'GET' ? 202 : 200))
    },
  )
})

describe('A party that two FSPs have registered', () => {
  let other: Fsp

  beforeAll(async () => {
    other = await scheme.join('redmoney-lookup', { currency: 'USD' })
  })

  async function shared(): Promise<string> {
    const phone = newPhoneNumber()
    await own(payee, phone, 'USD')
    await own(other, phone, 'EUR')
    return `/parties/MSISDN/${phone}`
  }

  test('Both FSPs of a party are asked, and the answer of one arrives although the other cannot be asked', async () => {
    const path = await shared()
    other.answerWith(({ method }) => (method === 'GET' ? 501 : 200))
    const { answer } = await lookUp(path)
    await payee.await(at('GET', path))
    await other.await(at('GET', path))
    const phone = path.split('/')[3] ?? ''
    const party = { party: partyOf(payee, phone, 'Zoë Çelik') }
    await payee.send('PUT', path, party, { 'fspiop-destination': 'greenbank-lookup' })
    expect((await answer()).json()).toEqual(party)
    expect(payer.received.filter(at('PUT', `${path}/error`))).toEqual([])
    other.answerWith(() => 202)
  })

  test('When neither FSP of a party can be asked, one error arrives', async () => {
    const path = await shared()
    for (const fsp of [payee, other]) fsp.answerWith(({ method }) => (method === 'GET' ? 501 : 200))
    const { error } = await lookUp(path)
    expect(await error()).toMatchObject({ errorCode: '2002' })
    for (const fsp of [payee, other]) fsp.answerWith(() => 202)
    expect(payer.received.filter(at('PUT', `${path}/error`))).toHaveLength(1)
  })
})

describe('The association of a party with its FSP', () => {
  test('Every FSP may read the FSP of a party, and only that FSP may remove the association', async () => {
    const phone = newPhoneNumber()
    const path = `/participants/MSISDN/${phone}`
    await own(payee, phone)
    const { answer } = await lookUp(path)
    expect((await answer()).json()).toEqual({ fspId: 'bluewallet-lookup' })

    await payer.send('DELETE', path)
    const refused = await payer.await(at('PUT', `${path}/error`))
    expect(errorOf(refused)).toMatchObject({ errorCode: '3040' })

    const after = payee.received.length
    await payee.send('DELETE', path)
    expect((await payee.await(at('PUT', path), { after })).json()).toEqual({})
    const gone = await lookUp(path)
    expect(await gone.error()).toMatchObject({ errorCode: '3204' })
  })

  test('A batch is answered entry by entry, in its order', async () => {
    const requestId = randomUUID()
    const [one, two] = [newPhoneNumber(), newPhoneNumber()]
    const partyList = [
      { partyIdType: 'MSISDN', partyIdentifier: one, fspId: payee.name },
      { partyIdType: 'SEAL', partyIdentifier: 'x', fspId: payee.name },
      { partyIdType: 'MSISDN', partyIdentifier: two, fspId: payer.name },
    ]
    await payee.send('POST', '/participants', { requestId, partyList })
    const callback = await payee.await(at('PUT', `/participants/${requestId}`))
    const answer = callback.json() as { partyList: { errorInformation?: { errorCode: string } }[] }
    expect(answer.partyList.map((entry) => entry.errorInformation?.errorCode)).toEqual([
      undefined,
      '3003',
      '3003',
    ])
  })
})
