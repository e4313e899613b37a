/** The story of a payment that a PISP began: how the operator sees each of its outcomes. */
import { randomUUID } from 'node:crypto'
import { createAuthenticator, type ThirdPartyOrder } from '@causeway/fsp'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { request } from 'undici'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import {
  linkedAt,
  mei,
  openDfsp,
  openPayee,
  openPisp,
  origin,
  payer as holder,
  paymentFrom,
  type TestParticipant,
  type TestDfsp,
} from './parties/third-party.ts'

let scheme: Scheme
let pisp: TestParticipant
let dfsp: TestDfsp
let careful: TestDfsp
let payee: TestParticipant
/** The next action of the payee's FSP. */
let refuses: 'quote' | 'transfer' | undefined
let account: 'READY' | 'WITHOUT_FUNDS' | 'OTHER_CURRENCY'

const error = { errorCode: '5104', errorDescription: 'the payee FSP says no' }

beforeAll(async () => {
  scheme = await openSchemeOfFsps()
  pisp = await openPisp(scheme, 'lemonpay')
  dfsp = await openDfsp(scheme, 'greenbank', {
    payerAccount: () =>
      account === 'READY' ? { state: account, payer: holder } : { state: account },
  })
  careful = await openDfsp(scheme, 'carefulbank', { verification: { by: 'ITSELF' } })
  payee = await openPayee(scheme, 'bluewallet', {
    onQuote: () => (refuses === 'quote' ? { type: 'REJECT', error } : { type: 'AGREE' }),
    onTransfer: () => (refuses === 'transfer' ? { type: 'REJECT', error } : { type: 'COMMIT' }),
  })
})

afterAll(async () => {
  await Promise.all([pisp, dfsp, careful, payee].map((each) => each.stop()))
  await scheme.stop()
})

beforeEach(() => {
  refuses = undefined
  account = 'READY'
})

interface Step {
  readonly type: string
  readonly from?: string
  readonly message?: string
  readonly outcome?: string
  readonly error?: { readonly errorCode: string } | null
}

interface ThirdParty {
  readonly transactionRequestId: string
  readonly transactionId: string | null
  readonly consentId: string | null
  readonly state: string
  readonly endedAt: string | null
}

interface Rows {
  readonly transfers: readonly { readonly transferId: string }[]
}

interface RequestStory {
  readonly thirdParty: ThirdParty
  readonly transfer: { readonly transferId: string; readonly state: string } | null
  readonly findings: readonly string[]
  readonly steps: readonly Step[]
}

/** Waits until the hub has stored the outcome. */
async function storyOf(transactionRequestId: string): Promise<RequestStory> {
  const path = `/third-party-transactions/${transactionRequestId}/story`
  return shown<RequestStory>(path, ({ thirdParty }) => thirdParty.endedAt !== null)
}

/** The operator's view, once it is complete. */
function shown<Shown>(path: string, isComplete: (shown: Shown) => boolean): Promise<Shown> {
  return eventually(async () => {
    const { status, json } = await scheme.operator.call('GET', path)
    return status === 200 && isComplete(json as Shown) ? (json as Shown) : undefined
  }, path)
}

/**
 * The messages of the FSPs about it, once each where they were repeated, and the decisions of the
 * hub.
 */
function messagesIn({ steps }: { readonly steps: readonly Step[] }): readonly string[] {
  const messages = steps.flatMap(
    ({ type, from = '', message = '', outcome = '', error: refusal }) =>
      type === 'MESSAGE'
        ? [`${from} ${message}${refusal ? ` ${refusal.errorCode}` : ''}`]
        : type === 'DECISION'
          ? [outcome]
          : [],
  )
  return [...new Set(messages)]
}

const transactions = '/thirdpartyRequests/transactions'
const authorizations = '/thirdpartyRequests/authorizations'
const verifications = '/thirdpartyRequests/verifications'

const begun = [
  `lemonpay POST ${transactions}`,
  `greenbank PUT ${transactions}/{ID}`,
  'greenbank POST /quotes',
]
const signed = [
  ...begun,
  'ACCEPTED',
  `greenbank POST ${authorizations}`,
  `lemonpay PUT ${authorizations}/{ID}`,
]
const verified = [
  ...signed,
  `greenbank POST ${verifications}`,
  `centralAuth PUT ${verifications}/{ID}`,
  'greenbank POST /transfers',
  'RESERVED',
]

describe('A committed third-party payment', () => {
  test('A third-party payment has one story, by its own id and by that of the request, with every step of it', async () => {
    const { consentId, device } = await linkedAt(pisp, dfsp)
    const { transactionRequestId, transactionId } = await pisp.fsp.pisp.pay(
      paymentFrom(dfsp, device),
    )
    const story = await storyOf(transactionRequestId)
    const thirdParty = {
      transactionRequestId,
      transactionId,
      consentId,
      pispId: 'lemonpay',
      dfspId: 'greenbank',
      state: 'ACCEPTED',
      transactionState: 'COMPLETED',
      error: null,
    }
    expect(story).toMatchObject({ thirdParty, transfer: { state: 'COMMITTED' } })
    const messages = messagesIn(story)
    expect([...messages].toSorted()).toEqual(
      [
        ...verified,
        'bluewallet PUT /transfers/{ID}',
        'POSTED',
        'COMMITTED',
        `greenbank PATCH ${transactions}/{ID}`,
      ].toSorted(),
    )
    expect([messages[0], messages.at(-1)]).toEqual([
      begun[0],
      `greenbank PATCH ${transactions}/{ID}`,
    ])
    const transferId = story.transfer?.transferId ?? ''
    const own = await scheme.operator.call('GET', `/transfers/${transferId}/story`)
    expect(own.json).toMatchObject({
      transferId,
      findings: ['It was paid: 10 USD to bluewallet.', 'greenbank reported ACCEPTED to lemonpay.'],
      thirdParty,
    })
    expect(messagesIn(own.json as RequestStory)).toEqual(messages)
  })

  test('A third-party payment is in the reconciliation of its FSPs with the request and the PISP', async () => {
    const { device } = await linkedAt(pisp, dfsp)
    const { transactionRequestId } = await pisp.fsp.pisp.pay(paymentFrom(dfsp, device))
    const { transfer } = await storyOf(transactionRequestId)
    const day = new Date().toISOString().slice(0, 10)
    const path = `/participants/greenbank/reconciliation?day=${day}`
    const rowIn = ({ transfers }: Rows) =>
      transfers.find(({ transferId }) => transferId === transfer?.transferId)
    const rows = await shown<Rows>(path, (answer) => rowIn(answer) !== undefined)
    expect(rowIn(rows)).toMatchObject({ transactionRequestId, pispFsp: 'lemonpay' })
  })

  test('A third-party payment that its DFSP verified itself names no consent, since no message does', async () => {
    const { device } = await linkedAt(pisp, careful)
    const { transactionRequestId } = await pisp.fsp.pisp.pay(paymentFrom(careful, device))
    const story = await storyOf(transactionRequestId)
    expect(story).toMatchObject({
      thirdParty: { consentId: null, state: 'ACCEPTED' },
      transfer: { state: 'COMMITTED' },
    })
    expect(messagesIn(story).filter((message) => message.includes(verifications))).toEqual([])
  })
})

describe('A failed third-party payment', () => {
  const stolen: ThirdPartyOrder['sign'] = ({ challenge }) =>
    Promise.resolve({
      signedPayloadType: 'FIDO',
      fidoSignedPayload: createAuthenticator().assert({
        challenge: Buffer.from(challenge, 'base64url'),
        origin,
      }),
    })
  const ended = (code: string) => `greenbank PUT ${transactions}/{ID}/error ${code}`
  const nothing = () => undefined

  test.each<[string, () => unknown, Partial<ThirdPartyOrder>, readonly string[], string]>([
    [
      'the currency is not supported',
      () => (account = 'OTHER_CURRENCY'),
      {},
      [begun[0] ?? '', ended('4103')],
      'FAILED',
    ],
    [
      'there is not enough money',
      () => (account = 'WITHOUT_FUNDS'),
      {},
      [begun[0] ?? '', ended('6104')],
      'FAILED',
    ],
    [
      'the quote was refused',
      () => (refuses = 'quote'),
      {},
      [...begun, 'REJECTED', ended('6003')],
      'FAILED',
    ],
    [
      'the user rejects the terms',
      nothing,
      { sign: () => Promise.resolve(undefined) },
      [...signed, `greenbank PATCH ${transactions}/{ID}`],
      'REJECTED',
    ],
    [
      'the signature is wrong',
      nothing,
      { sign: stolen },
      [
        ...signed,
        `greenbank POST ${verifications}`,
        `centralAuth PUT ${verifications}/{ID}/error 6201`,
        ended('6201'),
      ],
      'FAILED',
    ],
    [
      'the transfer was refused',
      () => (refuses = 'transfer'),
      {},
      [
        ...verified,
        'bluewallet PUT /transfers/{ID}/error 5104',
        'VOIDED',
        'ABORTED',
        ended('6003'),
      ],
      'FAILED',
    ],
  ])(
    'The story of a failed payment shows that %s and that the PISP was notified',
    async (_why, prepare, changes, steps, state) => {
      prepare()
      const { device } = await linkedAt(pisp, dfsp)
      const result = await pisp.fsp.pisp.pay(paymentFrom(dfsp, device, changes))
      const story = await storyOf(result.transactionRequestId)
      expect(story.thirdParty.state).toBe(state)
      expect(messagesIn(story).toSorted()).toEqual(steps.toSorted())
      expect(story.findings).toEqual(
        steps.includes('ABORTED')
          ? expect.arrayContaining(['bluewallet refused it: the payee FSP says no.'])
          : expect.arrayContaining(['It has no transfer.']),
      )
    },
  )

  test('When the FSP of the payee is missing, the story shows it and that the PISP was notified', async () => {
    await linkedAt(pisp, dfsp)
    const transactionRequestId = randomUUID()
    const media = 'application/vnd.interoperability.thirdpartyRequests+json;version=1.0'
    const body = {
      transactionRequestId,
      payee: { partyIdInfo: { partyIdType: mei.type, partyIdentifier: mei.id } },
      payer: {
        partyIdType: 'THIRD_PARTY_LINK',
        partyIdentifier: 'greenbank.amara.1',
        fspId: 'greenbank',
      },
      amountType: 'SEND',
      amount: { currency: 'USD', amount: '10' },
      transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' },
    }
    const sent = await request(`${scheme.hub.urls.fsp}${transactions}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        'content-type': media,
        accept: media,
        date: new Date().toUTCString(),
        'fspiop-source': 'lemonpay',
        'fspiop-destination': 'greenbank',
      },
    })
    expect(sent.statusCode).toBe(202)
    const story = await storyOf(transactionRequestId)
    expect(story).toMatchObject({ thirdParty: { state: 'FAILED' }, transfer: null })
    expect(messagesIn(story)).toEqual([begun[0], ended('3102')])
  })
})

test('A request that no PISP has sent has no story', async () => {
  const path = `/third-party-transactions/${randomUUID()}/story`
  expect(await scheme.operator.call('GET', path)).toMatchObject({
    status: 404,
    json: { errorInformation: { errorCode: '3206' } },
  })
})
