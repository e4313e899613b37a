import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { readBody } from '../bodies/body.ts'
import { bulkMessages } from '../testing/bulk-messages.ts'
import { condition, extensions, type JsonObject, messages, otp, uuid } from '../testing/messages.ts'
import { thirdPartyMessages } from '../testing/thirdparty-messages.ts'
import { putAuthorizations, putAuthorizationsAnyResponse } from './authorizations.ts'
import {
  postParticipant,
  postParticipants,
  putParticipant,
  putParticipantsBatch,
} from './participants.ts'
import { putParties } from './parties.ts'
import { postQuotes, putQuotes } from './quotes.ts'
import {
  postTransactionRequests,
  putTransactionRequests,
  putTransactionRequestsAnyState,
} from './transactionRequests.ts'
import { putTransactions } from './transactions.ts'

const ulid = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

function outcome(schema: z.ZodType, json: unknown): string {
  const reading = readBody(schema, Buffer.from(JSON.stringify(json)))
  return reading.ok ? 'accepted' : `${reading.code} ${reading.detail}`
}

/** A copy in which the member at the path is another, or missing when that is undefined. */
function changed(body: unknown, path: string, value: unknown): unknown {
  const copy: unknown = structuredClone(body)
  const names = path.slice(1).split('/')
  const last = names.pop() ?? ''
  let holder = copy as Record<string, unknown>
  for (const name of names) holder = holder[name] as Record<string, unknown>
  if (value === undefined) delete holder[last]
  else holder[last] = value
  return copy
}

describe.each([...messages, ...bulkMessages, ...thirdPartyMessages])(
  '$name',
  ({ schema, body, required, hasExtensions }) => {
    test('The message is accepted with all its members, as it was sent', () => {
      const reading = readBody(schema, Buffer.from(JSON.stringify(body)))
      expect(reading).toEqual({ ok: true, value: body, json: body })
    })

    test('The message is read by generated code, without leaving a part to the slower parser', () => {
      expect(z.compile(schema, { strict: true }).safeParse(body).success).toBe(true)
    })

    test('The message keeps members that the API does not know', () => {
      const extended = { ...body, unknown: { deep: [1, null] } }
      const reading = readBody(schema, Buffer.from(JSON.stringify(extended)))
      expect(reading).toEqual({ ok: true, value: extended, json: extended })
    })

    test('The message is refused for each missing element, which is named', () => {
      for (const path of required) {
        expect(outcome(schema, changed(body, path, undefined))).toBe(`3102 ${path}`)
      }
    })

    test('The message is refused for a null or a number in the place of each member', () => {
      for (const name of Object.keys(body)) {
        for (const value of [null, 5]) {
          expect(outcome(schema, { ...body, [name]: value })).toMatch(new RegExp(`^3101 /${name}`))
        }
      }
    })

    test('The message may have ULIDs for all of its ids', () => {
      const others = JSON.parse(JSON.stringify(body).replaceAll(uuid, ulid)) as unknown
      expect(outcome(schema, others)).toBe('accepted')
    })

    test('The message may have sixteen extensions and not seventeen', () => {
      if (hasExtensions === undefined) return
      expect(outcome(schema, { ...body, extensionList: extensions(16) })).toBe('accepted')
      expect(outcome(schema, { ...body, extensionList: extensions(17) })).toBe(
        '3103 /extensionList/extension: more than 16 elements',
      )
    })
  },
)

describe('a wrong form', () => {
  const body = (schema: z.ZodType): JsonObject => {
    const message = messages.find((each) => each.schema === schema)
    if (message === undefined) throw new Error('no such message')
    return message.body
  }

  test.each([
    ['/requestId', ulid.toLowerCase(), '3101', postParticipants],
    ['/partyList', [], '3100', postParticipants],
    ['/partyList', {}, '3101', postParticipants],
    ['/partyList/0', 'x', '3101', postParticipants],
    ['/partyList/0/partyIdentifier', 'a/b', '3101', postParticipants],
    ['/partyList/0/partyIdentifier', 'x'.repeat(129), '3100', postParticipants],
    ['/partyList/0/partyIdType', '', '3100', postParticipants],
    ['/partyList/0/partyIdType', 'x'.repeat(33), '3100', postParticipants],
    ['/partyList/0/partySubIdOrType', '', '3100', postParticipants],
    ['/partyList/0/extensionList', extensions(17), '3103', postParticipants],
    ['/currency', 'usd', '3101', postParticipants],
    ['/partyList/0/errorInformation/errorCode', '0999', '3101', putParticipantsBatch],
    ['/partyList/0/partyId', 'x', '3101', putParticipantsBatch],
    ['/fspId', '', '3100', postParticipant],
    ['/fspId', 'x'.repeat(33), '3100', postParticipant],
    ['/fspId', '', '3100', putParticipant],
    ['/party/partyIdInfo/partyIdType', 'msisdn', '3101', putParties],
    ['/party/partyIdInfo/partyIdentifier', 'a?b', '3101', putParties],
    ['/party/merchantClassificationCode', '58125', '3101', putParties],
    ['/party/name', '', '3100', putParties],
    ['/party/personalInfo/complexName/lastName', 'a@b', '3100', putParties],
    ['/party/personalInfo/dateOfBirth', '1900-02-29', '3100', putParties],
    ['/party/personalInfo', 'x', '3101', putParties],
    ['/payer/partyIdType', 'X', '3101', postTransactionRequests],
    ['/authenticationType', 'PIN', '3101', postTransactionRequests],
    ['/geoCode/latitude', '+05', '3101', postTransactionRequests],
    ['/geoCode/longitude', '181', '3101', postTransactionRequests],
    ['/expiration', '2030-01-01T00:00:00Z', '3101', postTransactionRequests],
    ['/note', 'x'.repeat(129), '3100', postTransactionRequests],
    ['/transactionRequestState', 'DONE', '3101', putTransactionRequests],
    ['/transactionRequestState', 'received', '3101', putTransactionRequests],
    ['/transactionId', 'x', '3101', putTransactionRequests],
    ['/transactionRequestState', '', '3100', putTransactionRequestsAnyState],
    ['/quoteId', uuid.toUpperCase(), '3101', postQuotes],
    ['/amountType', 'BOTH', '3101', postQuotes],
    ['/amount/amount', '5.50', '3101', postQuotes],
    ['/amount/amount', 5, '3101', postQuotes],
    ['/amount/currency', 'ZZZ', '3101', postQuotes],
    ['/fees', [], '3101', postQuotes],
    ['/transactionType/scenario', 'GIFT', '3101', postQuotes],
    ['/transactionType/subScenario', 'lower', '3101', postQuotes],
    ['/transactionType/balanceOfPayments', '012', '3101', postQuotes],
    ['/transactionType/refundInfo/refundReason', '', '3100', postQuotes],
    ['/payee/partyIdInfo/fspId', ' payeefsp', '3101', postQuotes],
    ['/transferAmount/amount', '-1', '3101', putQuotes],
    ['/ilpPacket', 'A'.repeat(32_769), '3100', putQuotes],
    ['/ilpPacket', 'a b', '3101', putQuotes],
    ['/condition', condition.slice(1), '3101', putQuotes],
    ['/expiration', '', '3101', putQuotes],
    ['/responseType', 'OTHER', '3101', putAuthorizations],
    ['/authenticationInfo/authenticationValue', '12', '3101', putAuthorizations],
    ['/authenticationInfo/authenticationValue', '0'.repeat(11), '3101', putAuthorizations],
    ['/authenticationInfo/authentication', 'PIN', '3101', putAuthorizations],
    ['/transactionState', 'ACCEPTED', '3101', putTransactions],
    ['/code', 'abc', '3101', putTransactions],
    ['/completedTimestamp', '2030-01-01', '3101', putTransactions],
  ])('A wrong form at %s, %j, is refused with %s and its path', (path, value, code, schema) => {
    const sentence = outcome(schema, changed(body(schema), path, value))
    expect(sentence.slice(0, 4 + 1 + path.length)).toBe(`${code} ${path}`)
  })
})

describe('POST /participants', () => {
  const entry = { partyIdType: 'MSISDN', partyIdentifier: '1', fspId: 'payerfsp' }

  test('POST /participants takes ten thousand entries and not one more', () => {
    const partyList = Array.from({ length: 10_000 }, () => entry)
    expect(outcome(postParticipants, { requestId: uuid, partyList })).toBe('accepted')
    expect(outcome(postParticipants, { requestId: uuid, partyList: [...partyList, entry] })).toBe(
      '3103 /partyList: more than 10000 elements',
    )
  })

  test('POST /participants takes an entry of an unknown type: only that entry fails', () => {
    const partyList = [entry, { ...entry, partyIdType: 'FAX' }]
    expect(outcome(postParticipants, { requestId: uuid, partyList })).toBe('accepted')
    const results = partyList.map((partyId) => ({ partyId }))
    expect(outcome(putParticipantsBatch, { partyList: results })).toBe('accepted')
  })
})

test('PUT /participants/{Type}/{ID} without fspId says that the association is gone', () => {
  expect(outcome(putParticipant, {})).toBe('accepted')
})

describe('PUT /authorizations/{ID}', () => {
  test.each([
    { authenticationInfo: otp, responseType: 'ENTERED' },
    {
      authenticationInfo: { authentication: 'QRCODE', authenticationValue: 'q' },
      responseType: 'ENTERED',
    },
    {
      authenticationInfo: {
        authentication: 'U2F',
        authenticationValue: { pinValue: 'p', counter: '1' },
      },
      responseType: 'ENTERED',
    },
    { responseType: 'REJECTED' },
    { responseType: 'RESEND' },
    { authenticationInfo: otp, responseType: 'RESEND' },
  ])('PUT /authorizations/{ID} is accepted as %j', (json) => {
    expect(outcome(putAuthorizations, json)).toBe('accepted')
    expect(outcome(putAuthorizationsAnyResponse, json)).toBe('accepted')
  })

  test('PUT /authorizations/{ID} keeps the leading zeros of an OTP', () => {
    const json = { authenticationInfo: otp, responseType: 'ENTERED' }
    expect(putAuthorizations.parse(json).authenticationInfo).toEqual(otp)
  })

  test('PUT /authorizations/{ID} with another response is accepted by the lenient schema alone', () => {
    expect(outcome(putAuthorizations, { responseType: 'LATER' })).toBe(
      '3101 /responseType: not one of its values',
    )
    expect(outcome(putAuthorizationsAnyResponse, { responseType: 'LATER' })).toBe('accepted')
    expect(outcome(putAuthorizationsAnyResponse, {})).toBe('3102 /responseType')
    expect(
      outcome(putAuthorizationsAnyResponse, { responseType: 'LATER', authenticationInfo: {} }),
    ).toBe('3102 /authenticationInfo/authentication')
  })
})

test('PUT /transactionRequests/{ID} in another state is for the lenient schema alone', () => {
  const json = { transactionRequestState: 'DEFERRED' }
  expect(outcome(putTransactionRequests, json)).toBe(
    '3101 /transactionRequestState: not one of its values',
  )
  expect(outcome(putTransactionRequestsAnyState, json)).toBe('accepted')
})

describe('quotes and transactions', () => {
  const quote = messages.find(({ schema }) => schema === postQuotes)?.body

  test.each(["Jean-Luc O'Neil, Jr.", 'Zoë', 'ကျော်', '李小龍', 'عمر', 'अमित'])(
    'Quotes and transactions may name the payer %s',
    (firstName) => {
      const path = '/payer/personalInfo/complexName/firstName'
      expect(outcome(postQuotes, changed(quote, path, firstName))).toBe('accepted')
    },
  )
})
