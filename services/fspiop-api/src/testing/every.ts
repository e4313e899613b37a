/** One valid message for each operation that the edge serves, and the event that it becomes, if any. */
import type { EventName } from '@causeway/events'
import type { Operation } from '@causeway/fspiop'
import {
  bulkQuoteAnswer,
  bulkQuoteRequest,
  bulkTransferAnswer,
  bulkTransferRequest,
} from './bulk-messages.ts'
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
  type TestMessage,
} from './messages.ts'

export interface ExpectedCallback {
  readonly operation: Operation
  readonly sent: TestMessage
  readonly event: EventName
  readonly key: string
}

const party = 'MSISDN/123456789'
const subParty = 'PERSONAL_ID/A12345/PASSPORT'
const error = { errorInformation }
const transfer = JSON.parse(transferBody({ transferId: id })) as object
const otp = 'authenticationType=OTP&retriesLeft=2&amount=102&currency=USD'

function about(
  operation: Operation,
  sent: TestMessage,
  event: EventName,
  key = id,
): ExpectedCallback {
  return { operation, sent, event, key }
}

const ofParticipants: readonly ExpectedCallback[] = [
  about(
    'POST /participants',
    message('POST', '/participants', participantsRequest),
    'ParticipantBatchAssociationRequestReceived',
  ),
  ...[party, subParty].flatMap((key) => {
    const template = key === party ? '{Type}/{ID}' : '{Type}/{ID}/{SubId}'
    const path = `/participants/${key}`
    const fsp = { fspId: 'greenbank' }
    return [
      about(
        `GET /participants/${template}` as Operation,
        message('GET', path),
        'ParticipantQueryReceived',
        key,
      ),
      about(
        `POST /participants/${template}` as Operation,
        message('POST', path, fsp),
        'ParticipantAssociationRequestReceived',
        key,
      ),
      about(
        `DELETE /participants/${template}` as Operation,
        message('DELETE', path),
        'ParticipantDisassociateRequestReceived',
        key,
      ),
      about(
        `PUT /participants/${template}` as Operation,
        message('PUT', path, fsp),
        'NotifyRequested',
        key,
      ),
      about(
        `PUT /participants/${template}/error` as Operation,
        message('PUT', `${path}/error`, error),
        'NotifyRequested',
        key,
      ),
    ]
  }),
]

/** Answers to requests that the hub alone receives: valid, and refused from every FSP. */
export const ofHubAlone: readonly Pick<ExpectedCallback, 'operation' | 'sent'>[] = [
  {
    operation: 'PUT /participants/{ID}',
    sent: message('PUT', `/participants/${id}`, {
      partyList: [{ partyId: { partyIdType: 'MSISDN', partyIdentifier: '1' } }],
    }),
  },
  {
    operation: 'PUT /participants/{ID}/error',
    sent: message('PUT', `/participants/${id}/error`, error),
  },
]

const ofParties: readonly ExpectedCallback[] = [party, subParty].flatMap((key) => {
  const template = key === party ? '{Type}/{ID}' : '{Type}/{ID}/{SubId}'
  const path = `/parties/${key}`
  return [
    about(`GET /parties/${template}` as Operation, message('GET', path), 'PartyQueryReceived', key),
    about(
      `PUT /parties/${template}` as Operation,
      message('PUT', path, partyAnswer),
      'NotifyRequested',
      key,
    ),
    about(
      `PUT /parties/${template}/error` as Operation,
      message('PUT', `${path}/error`, error),
      'NotifyRequested',
      key,
    ),
  ]
})

const ofQuotes: readonly ExpectedCallback[] = [
  about('POST /quotes', message('POST', '/quotes', quoteRequest), 'QuoteRequestReceived'),
  about('GET /quotes/{ID}', message('GET', `/quotes/${id}`), 'QuoteQueryReceived'),
  about('PUT /quotes/{ID}', message('PUT', `/quotes/${id}`, quoteAnswer), 'QuoteResponseReceived'),
  about(
    'PUT /quotes/{ID}/error',
    message('PUT', `/quotes/${id}/error`, error),
    'QuoteRejectReceived',
  ),
]

const ofBulkQuotes: readonly ExpectedCallback[] = [
  about(
    'POST /bulkQuotes',
    message('POST', '/bulkQuotes', bulkQuoteRequest(2)),
    'BulkQuoteRequestReceived',
  ),
  about('GET /bulkQuotes/{ID}', message('GET', `/bulkQuotes/${id}`), 'BulkQuoteQueryReceived'),
  about(
    'PUT /bulkQuotes/{ID}',
    message('PUT', `/bulkQuotes/${id}`, bulkQuoteAnswer(2)),
    'BulkQuoteResponseReceived',
  ),
  about(
    'PUT /bulkQuotes/{ID}/error',
    message('PUT', `/bulkQuotes/${id}/error`, error),
    'BulkQuoteRejectReceived',
  ),
]

const ofBulkTransfers: readonly ExpectedCallback[] = [
  about(
    'POST /bulkTransfers',
    message('POST', '/bulkTransfers', bulkTransferRequest(2)),
    'BulkTransferPrepareRequested',
  ),
  about(
    'GET /bulkTransfers/{ID}',
    message('GET', `/bulkTransfers/${id}`),
    'BulkTransferQueryReceived',
  ),
  about(
    'PUT /bulkTransfers/{ID}',
    message('PUT', `/bulkTransfers/${id}`, bulkTransferAnswer(2)),
    'BulkTransferFulfilRequested',
  ),
  about(
    'PUT /bulkTransfers/{ID}/error',
    message('PUT', `/bulkTransfers/${id}/error`, error),
    'BulkTransferRejectRequested',
  ),
]

const ofTransfers: readonly ExpectedCallback[] = [
  about('POST /transfers', message('POST', '/transfers', transfer), 'TransferPrepareRequested'),
  about('GET /transfers/{ID}', message('GET', `/transfers/${id}`), 'TransferQueryReceived'),
  about(
    'PUT /transfers/{ID}',
    message('PUT', `/transfers/${id}`, transferFulfilment),
    'TransferFulfilCommittedRequested',
  ),
  about(
    'PUT /transfers/{ID}/error',
    message('PUT', `/transfers/${id}/error`, error),
    'TransferRejectRequested',
  ),
]

/** Relayed messages, which become callbacks at once. */
const passedOn: readonly ExpectedCallback[] = (
  [
    ['POST /transactionRequests', '/transactionRequests', transactionRequest],
    ['GET /transactionRequests/{ID}', `/transactionRequests/${id}`],
    [
      'PUT /transactionRequests/{ID}',
      `/transactionRequests/${id}`,
      { transactionRequestState: 'RECEIVED' },
    ],
    ['PUT /transactionRequests/{ID}/error', `/transactionRequests/${id}/error`, error],
    ['GET /authorizations/{ID}', `/authorizations/${id}?${otp}`],
    ['PUT /authorizations/{ID}', `/authorizations/${id}`, { responseType: 'REJECTED' }],
    ['PUT /authorizations/{ID}/error', `/authorizations/${id}/error`, error],
    ['GET /transactions/{ID}', `/transactions/${id}`],
    ['PUT /transactions/{ID}', `/transactions/${id}`, { transactionState: 'COMPLETED' }],
    ['PUT /transactions/{ID}/error', `/transactions/${id}/error`, error],
  ] as const satisfies readonly (readonly [Operation, string, object?])[]
).map(([operation, path, body]) => {
  const method = operation.slice(0, operation.indexOf(' ')) as 'GET' | 'POST' | 'PUT'
  return about(operation, message(method, path, body), 'NotifyRequested')
})

const ofPings: readonly ExpectedCallback[] = [
  about('POST /pings', message('POST', '/pings', { pingId: id }), 'PingReceived'),
]

export const every: readonly ExpectedCallback[] = [
  ...ofParticipants,
  ...ofParties,
  ...ofQuotes,
  ...ofBulkQuotes,
  ...ofTransfers,
  ...ofBulkTransfers,
  ...passedOn,
  ...ofPings,
]
