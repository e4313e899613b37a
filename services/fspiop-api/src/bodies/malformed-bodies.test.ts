/**
 * Messages with one fault each, and the responses of both kinds of hub. The first response is the
 * specification's, the second the one that Mojaloop's clients expect where it differs.
 */
import { describe, test } from '@jest/globals'
import { expectAnswers } from '../testing/both-modes.ts'
import {
  errorInformation,
  id,
  message,
  participantsRequest,
  partyAnswer,
  quoteAnswer,
  quoteRequest,
  transactionRequest,
  transferBody,
  transferFulfilment,
  withMembers,
  type TestMessage,
} from '../testing/messages.ts'

const transfer = JSON.parse(transferBody({ transferId: id })) as object

type BodyRow = readonly [Readonly<Record<string, unknown>>, string, string?]

function describeMembers(title: string, sent: TestMessage, rows: readonly BodyRow[]): void {
  describe(title, () => {
    test.each(rows)(
      'A message with %j is answered with %s',
      async (...[changed, strict, loose]: BodyRow) => {
        await expectAnswers(withMembers(sent, changed), strict, loose)
      },
    )
  })
}

const list = (count: number) => ({
  extension: Array.from({ length: count }, () => ({ key: 'k', value: 'v' })),
})
const usd = (amount: unknown) => ({ currency: 'USD', amount })

describeMembers('POST /transfers', message('POST', '/transfers', transfer), [
  [{ transferId: undefined }, '400 3102 /transferId'],
  [{ transferId: 'x' }, '400 3101 /transferId', '400 3100 /transferId'],
  [{ transferId: id.toUpperCase() }, '400 3101 /transferId', '400 3100 /transferId'],
  [{ transferId: 5 }, '400 3101 /transferId', '400 3100 /transferId'],
  [{ transferId: '' }, '400 3101 /transferId', '400 3100 /transferId'],
  [{ payeeFsp: undefined }, '400 3102 /payeeFsp'],
  [{ payeeFsp: '' }, '400 3100 /payeeFsp'],
  [{ payeeFsp: null }, '400 3101 /payeeFsp', '400 3100 /payeeFsp'],
  [{ payeeFsp: 'x'.repeat(33) }, '400 3100 /payeeFsp'],
  [{ payerFsp: undefined }, '400 3102 /payerFsp'],
  [{ payerFsp: true }, '400 3101 /payerFsp', '400 3100 /payerFsp'],
  [{ payerFsp: {} }, '400 3101 /payerFsp', '400 3100 /payerFsp'],
  [{ amount: undefined }, '400 3102 /amount'],
  [{ amount: '99' }, '400 3101 /amount'],
  [{ amount: [] }, '400 3101 /amount'],
  [{ amount: { currency: 'USD' } }, '400 3102 /amount/amount'],
  [{ amount: { amount: '1' } }, '400 3102 /amount/currency'],
  [{ amount: { currency: 'usd', amount: '1' } }, '400 3101 /amount/c', '400 3100 /amount/c'],
  [{ amount: { currency: 'USDX', amount: '1' } }, '400 3101 /amount/c', '400 3100 /amount/c'],
  [{ amount: usd('') }, '400 3101 /amount/amount', '400 3100 /amount/amount'],
  [{ amount: usd('0') }, '400 3100 /amount/amount'],
  [{ amount: usd('-1') }, '400 3101 /amount/amount', '400 3100 /amount/amount'],
  [{ amount: usd('5.50') }, '400 3101 /amount/amount', '400 3100 /amount/amount'],
  [{ amount: usd('00.5') }, '400 3101 /amount/amount', '400 3100 /amount/amount'],
  [{ amount: usd('5.55555') }, '400 3101 /amount/amount', '400 3100 /amount/amount'],
  [{ amount: usd('1'.repeat(19)) }, '400 3101 /amount/amount', '400 3100 /amount/amount'],
  [{ amount: usd(5) }, '400 3101 /amount/amount', '400 3100 /amount/amount'],
  [{ amount: usd('1e3') }, '400 3101 /amount/amount', '400 3100 /amount/amount'],
  [{ amount: usd('1'.repeat(18)) }, '202'],
  [{ amount: usd('5.5555') }, '202'],
  [{ ilpPacket: undefined }, '400 3102 /ilpPacket'],
  [{ ilpPacket: '' }, '400 3100 /ilpPacket'],
  [{ ilpPacket: 'a+b/' }, '400 3101 /ilpPacket', '400 3100 /ilpPacket'],
  [{ ilpPacket: 'A'.repeat(32_769) }, '400 3100 /ilpPacket'],
  [{ condition: undefined }, '400 3102 /condition'],
  [{ condition: 'x'.repeat(42) }, '400 3101 /condition', '400 3100 /condition'],
  [{ condition: 'x'.repeat(44) }, '400 3101 /condition', '400 3100 /condition'],
  [{ condition: 5 }, '400 3101 /condition', '400 3100 /condition'],
  [{ expiration: undefined }, '400 3102 /expiration'],
  [{ expiration: '2030-01-01' }, '400 3101 /expiration', '400 3100 /expiration'],
  [{ expiration: '2030-01-01T00:00:00Z' }, '400 3101 /expiration', '400 3100 /expiration'],
  [{ expiration: '2027-02-29T00:00:00.000Z' }, '400 3101 /expiration', '400 3100 /expiration'],
  [{ expiration: 1893456000000 }, '400 3101 /expiration', '400 3100 /expiration'],
  [{ extensionList: list(16) }, '202'],
  [{ extensionList: list(17) }, '400 3103 /extensionList', '400 3100 /extensionList'],
  [{ extensionList: list(0) }, '400 3100 /extensionList'],
  [{ extensionList: {} }, '400 3102 /extensionList/extension'],
  [{ extensionList: 'x' }, '400 3101 /extensionList'],
  [{ extensionList: { extension: [{ key: 'k' }] } }, '400 3102 /extensionList/extension/0/value'],
  [{ extensionList: { extension: ['k'] } }, '400 3101 /extensionList/extension/0'],
  [{ payerFsp: 'bluewallet' }, '400 3100 header fspiop-source is not payerFsp'],
  [{ payeeFsp: 'otherbank' }, '400 3100 header fspiop-destination is not payeeFsp', '202'],
  [{ amount: undefined, transferId: 'x' }, '400 3102 /amount'],
])

describeMembers('PUT /transfers/{ID}', message('PUT', `/transfers/${id}`, transferFulfilment), [
  [{ transferState: undefined }, '400 3102 /transferState'],
  [{ transferState: 'SETTLED' }, '400 3101 /transferState', '400 3100 /transferState'],
  [{ transferState: 'settled' }, '400 3101 /transferState', '400 3100 /transferState'],
  [{ transferState: 'RECEIVED' }, '400 3101 /transferState', '400 3100 /transferState'],
  [{ transferState: 'DONE' }, '400 3101 /transferState', '400 3100 /transferState'],
  [{ transferState: '' }, '400 3101 /transferState', '400 3100 /transferState'],
  [{ transferState: 5 }, '400 3101 /transferState', '400 3100 /transferState'],
  [{ transferState: ['COMMITTED'] }, '400 3101 /transferState', '400 3100 /transferState'],
  [{ transferState: 'ABORTED' }, '400 3101 /transferState', '200'],
  [{ transferState: 'RESERVED' }, '200'],
  [{ transferState: 'committed' }, '200'],
  [{ fulfilment: undefined }, '200'],
  [{ fulfilment: 'short' }, '400 3101 /fulfilment', '400 3100 /fulfilment'],
  [{ fulfilment: '' }, '400 3101 /fulfilment', '400 3100 /fulfilment'],
  [{ fulfilment: 5 }, '400 3101 /fulfilment', '400 3100 /fulfilment'],
  [{ completedTimestamp: 'now' }, '400 3101 /completedTimestamp', '400 3100 /completedTimestamp'],
  [{ completedTimestamp: 0 }, '400 3101 /completedTimestamp', '400 3100 /completedTimestamp'],
  [{ completedTimestamp: '2020-01-01T00:00:00.000Z' }, '200', '400 3100 /completedTimestamp'],
  [{ completedTimestamp: '2026-11-21T10:00:00.201Z' }, '200', '400 3100 /completedTimestamp'],
  [{ extensionList: list(17) }, '400 3103 /extensionList', '400 3100 /extensionList'],
])

describeMembers('PUT …/error', message('PUT', `/transfers/${id}/error`, { errorInformation }), [
  [{ errorInformation: undefined }, '400 3102 /errorInformation'],
  [{ errorInformation: 'x' }, '400 3101 /errorInformation'],
  [{ errorInformation: {} }, '400 3102 /errorInformation/errorCode'],
  [
    { errorInformation: { errorCode: 5104, errorDescription: 'x' } },
    '400 3101 /errorInformation/errorCode',
    '400 3100 /errorInformation/errorCode',
  ],
  [
    { errorInformation: { errorCode: '0104', errorDescription: 'x' } },
    '400 3101 /errorInformation/errorCode',
    '400 3100 /errorInformation/errorCode',
  ],
  [{ errorInformation: { errorCode: '9999', errorDescription: 'x' } }, '200'],
  [{ errorInformation: { errorCode: '5104' } }, '400 3102 /errorInformation/errorDescription'],
  [
    { errorInformation: { errorCode: '5104', errorDescription: 'x'.repeat(129) } },
    '400 3100 /errorInformation/errorDescription',
  ],
])

const payee = (changed: object) => ({ payee: { ...quoteRequest.payee, ...changed } })
const payeeInfo = (changed: object) =>
  payee({ partyIdInfo: { ...quoteRequest.payee.partyIdInfo, ...changed } })
const personal = (personalInfo: unknown) => payee({ personalInfo })

describeMembers('POST /quotes', message('POST', '/quotes', quoteRequest), [
  [{ quoteId: undefined }, '400 3102 /quoteId'],
  [{ quoteId: 'x' }, '400 3101 /quoteId', '400 3100 /quoteId'],
  [{ transactionId: undefined }, '400 3102 /transactionId'],
  [{ transactionId: 'x' }, '400 3101 /transactionId', '400 3100 /transactionId'],
  [{ transactionRequestId: 'x' }, '400 3101 /transactionReq', '400 3100 /transactionReq'],
  [{ payee: undefined }, '400 3102 /payee'],
  [{ payee: [] }, '400 3101 /payee'],
  [{ payee: {} }, '400 3102 /payee/partyIdInfo'],
  [payeeInfo({ partyIdType: undefined }), '400 3102 /payee/partyIdInfo/partyIdType'],
  [payeeInfo({ partyIdType: 'PHONE' }), '400 3101 /payee/party', '400 3100 /payee/party'],
  [payeeInfo({ partyIdentifier: undefined }), '400 3102 /payee/partyIdInfo/partyIdentifier'],
  [payeeInfo({ partyIdentifier: '' }), '400 3100 /payee/partyIdInfo/partyIdentifier'],
  [payeeInfo({ partyIdentifier: 'a/b' }), '400 3101 /payee/party', '400 3100 /payee/party'],
  [payeeInfo({ fspId: '' }), '400 3100 /payee/partyIdInfo/fspId'],
  [payee({ merchantClassificationCode: 'x' }), '400 3101 /payee/m', '400 3100 /payee/m'],
  [payee({ name: '' }), '400 3100 /payee/name'],
  [payee({ name: 'x'.repeat(129) }), '400 3100 /payee/name'],
  [personal({ complexName: { firstName: 'a@b' } }), '400 3100 /payee/personalInfo/complexName/f'],
  [personal({ complexName: { middleName: '' } }), '400 3100 /payee/personalInfo/complexName/m'],
  [
    personal({ complexName: { lastName: 'x'.repeat(129) } }),
    '400 3100 /payee/personalInfo/complexName/l',
  ],
  [personal({ dateOfBirth: '1986-2-14' }), '400 3100 /payee/personalInfo/dateOfBirth'],
  [personal({ dateOfBirth: '1900-02-29' }), '400 3100 /payee/personalInfo/dateOfBirth'],
  [personal('x'), '400 3101 /payee/personalInfo'],
  [{ payer: undefined }, '400 3102 /payer'],
  [{ amountType: undefined }, '400 3102 /amountType'],
  [{ amountType: 'BOTH' }, '400 3101 /amountType', '400 3100 /amountType'],
  [{ amount: undefined }, '400 3102 /amount'],
  [{ amount: usd('5.50') }, '400 3101 /amount/amount', '400 3100 /amount/amount'],
  [{ fees: { currency: 'USD' } }, '400 3102 /fees/amount'],
  [{ transactionType: undefined }, '400 3102 /transactionType'],
  [{ transactionType: { scenario: 'TRANSFER' } }, '400 3102 /transactionType/initiator'],
  [
    { transactionType: { ...quoteRequest.transactionType, scenario: 'GIFT' } },
    '400 3101 /transactionType/scenario',
    '400 3100 /transactionType/scenario',
  ],
  [
    { transactionType: { ...quoteRequest.transactionType, subScenario: 'lower' } },
    '400 3101 /transactionType/subScenario',
    '400 3100 /transactionType/subScenario',
  ],
  [{ geoCode: { latitude: '91', longitude: '0' } }, '400 3101 /geoCode', '400 3100 /geoCode'],
  [{ geoCode: { latitude: '9' } }, '400 3102 /geoCode/longitude'],
  [{ note: '' }, '400 3100 /note'],
  [{ note: 'x'.repeat(129) }, '400 3100 /note'],
  [{ expiration: 'soon' }, '400 3101 /expiration', '400 3100 /expiration'],
  [
    { payer: { partyIdInfo: { ...quoteRequest.payer.partyIdInfo, fspId: 'otherbank' } } },
    '400 3100 header fspiop-source is not the FSP of the payer',
  ],
])

describeMembers('PUT /quotes/{ID}', message('PUT', `/quotes/${id}`, quoteAnswer), [
  [{ transferAmount: undefined }, '400 3102 /transferAmount'],
  [{ transferAmount: usd('01') }, '400 3101 /transferAmount', '400 3100 /transferAmount'],
  [{ payeeReceiveAmount: '5' }, '400 3101 /payeeReceiveAmount'],
  [{ payeeFspFee: usd('x') }, '400 3101 /payeeFspFee', '400 3100 /payeeFspFee'],
  [{ payeeFspCommission: usd(null) }, '400 3101 /payeeFspC', '400 3100 /payeeFspC'],
  [{ expiration: undefined }, '400 3102 /expiration'],
  [{ expiration: 'soon' }, '400 3101 /expiration', '400 3100 /expiration'],
  [{ ilpPacket: undefined }, '400 3102 /ilpPacket'],
  [{ condition: undefined }, '400 3102 /condition'],
  [{ condition: 'x' }, '400 3101 /condition', '400 3100 /condition'],
])

const fspOf = { fspId: 'greenbank', currency: 'USD' }
describeMembers(
  'POST /participants/{Type}/{ID}',
  message('POST', '/participants/MSISDN/123456789', fspOf),
  [
    [{ fspId: undefined }, '400 3102 /fspId'],
    [{ fspId: '' }, '400 3100 /fspId'],
    [{ fspId: 5 }, '400 3101 /fspId', '400 3100 /fspId'],
    [{ fspId: 'x'.repeat(33) }, '400 3100 /fspId'],
    [{ currency: 'ZZZ' }, '400 3101 /currency', '400 3100 /currency'],
    [{ extensionList: 5 }, '400 3101 /extensionList'],
  ],
)

describeMembers('POST /participants', message('POST', '/participants', participantsRequest), [
  [{ requestId: undefined }, '400 3102 /requestId'],
  [{ requestId: 'x' }, '400 3101 /requestId', '400 3100 /requestId'],
  [{ partyList: undefined }, '400 3102 /partyList'],
  [{ partyList: {} }, '400 3101 /partyList'],
  [{ partyList: [] }, '400 3100 /partyList'],
  [{ partyList: ['x'] }, '400 3101 /partyList/0'],
  [{ partyList: [{ partyIdType: 'MSISDN' }] }, '400 3102 /partyList/0/partyIdentifier'],
  [{ currency: 'ZZZ' }, '400 3101 /currency', '400 3100 /currency'],
])

describeMembers(
  'PUT /participants/{ID}',
  message('PUT', `/participants/${id}`, {
    partyList: [{ partyId: { partyIdType: 'MSISDN', partyIdentifier: '1' } }],
  }),
  [
    [{ partyList: undefined }, '400 3102 /partyList'],
    [{ partyList: [{}] }, '400 3102 /partyList/0/partyId'],
    [{ partyList: 'x' }, '400 3101 /partyList'],
  ],
)

describeMembers(
  'PUT /participants/{Type}/{ID}',
  message('PUT', '/participants/MSISDN/123456789', { fspId: 'greenbank' }),
  [
    [{ fspId: undefined }, '200'],
    [{ fspId: '' }, '400 3100 /fspId'],
    [{ fspId: null }, '400 3101 /fspId', '400 3100 /fspId'],
  ],
)

const partyIdInfo = partyAnswer.party.partyIdInfo
describeMembers(
  'PUT /parties/{Type}/{ID}',
  message('PUT', '/parties/MSISDN/123456789', partyAnswer),
  [
    [{ party: undefined }, '400 3102 /party'],
    [{ party: 'x' }, '400 3101 /party'],
    [{ party: {} }, '400 3102 /party/partyIdInfo'],
    [{ party: { partyIdInfo, name: '' } }, '400 3100 /party/name'],
    [
      { party: { partyIdInfo, personalInfo: { complexName: { firstName: 'a@b' } } } },
      '400 3100 /party/personalInfo/complexName/firstName',
    ],
    [
      { party: { partyIdInfo, personalInfo: { dateOfBirth: 'x' } } },
      '400 3100 /party/personalInfo/dateOfBirth',
    ],
    [
      { party: { partyIdInfo: { ...partyIdInfo, fspId: 'otherbank' } } },
      '400 3100 header fspiop-source is not the FSP of the party',
      '200',
    ],
  ],
)

describeMembers(
  'POST /transactionRequests',
  message('POST', '/transactionRequests', transactionRequest),
  [
    [{ transactionRequestId: undefined }, '400 3102 /transactionRequestId'],
    [{ transactionRequestId: 'x' }, '400 3101 /transactionR', '400 3100 /transactionR'],
    [{ payee: undefined }, '400 3102 /payee'],
    [{ payer: undefined }, '400 3102 /payer'],
    [{ payer: { partyIdInfo } }, '400 3102 /payer/partyIdType'],
    [{ amount: undefined }, '400 3102 /amount'],
    [{ amount: usd('01') }, '400 3101 /amount/amount', '400 3100 /amount/amount'],
    [{ transactionType: undefined }, '400 3102 /transactionType'],
    [{ authenticationType: 'FACE' }, '400 3101 /authenticationT', '400 3100 /authenticationT'],
    [{ expiration: 'soon' }, '400 3101 /expiration', '400 3100 /expiration'],
    [
      { payee: { partyIdInfo: { ...partyIdInfo, fspId: 'greenbank' } } },
      '400 3100 header fspiop-source is not the FSP of the payee',
      '202',
    ],
  ],
)

describeMembers(
  'PUT /transactionRequests/{ID}',
  message('PUT', `/transactionRequests/${id}`, { transactionRequestState: 'RECEIVED' }),
  [
    [{ transactionRequestState: undefined }, '400 3102 /transactionRequestState'],
    [{ transactionRequestState: 'PONDERED' }, '400 3101 /transactionRequestState', '200'],
    [{ transactionRequestState: '' }, '400 3101 /transactionR', '400 3100 /transactionR'],
    [{ transactionId: 'x' }, '400 3101 /transactionId', '400 3100 /transactionId'],
  ],
)

const otp = { authentication: 'OTP', authenticationValue: '0123' }
describeMembers(
  'PUT /authorizations/{ID}',
  message('PUT', `/authorizations/${id}`, { responseType: 'ENTERED', authenticationInfo: otp }),
  [
    [{ responseType: undefined }, '400 3102 /responseType'],
    [{ responseType: 'SMILED' }, '400 3101 /responseType', '200'],
    [{ authenticationInfo: undefined }, '400 3102 /authenticationInfo', '200'],
    [{ authenticationInfo: 'x' }, '400 3101 /authenticationInfo'],
    [
      { authenticationInfo: { ...otp, authentication: 'FACE' } },
      '400 3101 /authenticationInfo/authentication',
      '400 3100 /authenticationInfo/authentication',
    ],
    [
      { authenticationInfo: { ...otp, authenticationValue: '01' } },
      '400 3101 /authenticationInfo/authenticationValue',
      '400 3100 /authenticationInfo/authenticationValue',
    ],
  ],
)

describeMembers(
  'PUT /transactions/{ID}',
  message('PUT', `/transactions/${id}`, { transactionState: 'COMPLETED' }),
  [
    [{ transactionState: undefined }, '400 3102 /transactionState'],
    [{ transactionState: 'LOST' }, '400 3101 /transactionState', '400 3100 /transactionState'],
    [{ code: 'abc' }, '400 3101 /code', '400 3100 /code'],
    [{ completedTimestamp: 'now' }, '400 3101 /completedT', '400 3100 /completedT'],
  ],
)
