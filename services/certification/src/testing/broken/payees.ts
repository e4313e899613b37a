/** FSPs that are paid in a way that breaks one rule. */
import {
  dropping,
  ignoring,
  of,
  reading,
  refusing,
  repeatingAfter,
  takingFor,
  writing,
} from '../breakages.ts'
import { type Breakage, jsonOf } from '../breaking.ts'
import type { Broken } from '../caught.ts'
import {
  drawingFulfilments,
  noFulfilment,
  quotingOtherAmount,
  takingAnyAddress,
  takingAnyAmount,
  takingAnyCondition,
} from '../packets.ts'
import { repeatingWrongly } from '../repeating.ts'

const terms = of('PUT', /^\/quotes\/[^/]+$/)
const isPast = ({ json }: { json: Readonly<Record<string, unknown>> }) =>
  Date.parse(String(json['expiration'])) < Date.now()
const inAMinute = () => new Date(Date.now() + 60_000).toISOString()

const repeats = ['quotes', 'transfers', 'bulkQuotes', 'bulkTransfers'].flatMap((resource) =>
  repeatingWrongly(resource),
)

export const brokenPayees: readonly Broken[] = [
  ...repeats,
  {
    does: 'sends a callback again after 302',
    breakage: repeatingAfter(terms, 302),
    caughtBy: ['payee-redirect'],
  },
  {
    does: 'sends a callback again after 501',
    breakage: repeatingAfter(terms, 501),
    caughtBy: ['payee-501'],
  },
  {
    does: 'does not send a callback again after 503',
    breakage: takingFor(terms, 503, 200),
    caughtBy: ['payee-503'],
  },
  {
    does: 'sends a party to another destination',
    breakage: writing(of('PUT', /^\/parties\/[^/]+\/[^/]+$/), (json) => json, {
      'fspiop-destination': 'Hub',
    }),
    caughtBy: ['payee-party'],
  },
  {
    does: 'answers the lookup of an unknown party with another error',
    breakage: writing(of('PUT', /^\/parties\/.*\/error$/), () => ({
      errorInformation: { errorCode: '5000', errorDescription: 'Generic Payee error' },
    })),
    caughtBy: ['payee-party-unknown'],
  },
  {
    does: 'quotes an amount for the payee that does not follow from the terms',
    breakage: writing(terms, (json) => ({
      ...json,
      payeeReceiveAmount: { currency: 'USD', amount: '1' },
    })),
    caughtBy: ['payee-amounts-send', 'payee-amounts-receive', 'payee-amounts-fees'],
  },
  {
    does: 'does not refuse a request for a quote that has expired',
    breakage: reading(of('POST', /^\/quotes$/, isPast), (json) => ({
      ...json,
      expiration: inAMinute(),
    })),
    caughtBy: ['payee-quote-expired-request'],
  },
  {
    does: 'does not answer GET of its quotes',
    breakage: ignoring(of('GET', /^\/quotes\//)),
    caughtBy: ['payee-get-quote', 'payee-get-quote-unknown'],
  },
  {
    does: 'quotes a packet of another amount',
    breakage: quotingOtherAmount(),
    caughtBy: ['ilp-packet'],
  },
  {
    does: 'takes a packet that is addressed to another account',
    breakage: takingAnyAddress(),
    caughtBy: ['ilp-1-address'],
  },
  {
    does: 'takes a transfer of another amount than that of the packet',
    breakage: takingAnyAmount(),
    caughtBy: ['ilp-2-amount'],
  },
  {
    does: 'takes a transfer with another condition',
    breakage: takingAnyCondition(),
    caughtBy: ['ilp-3-condition'],
  },
  {
    does: 'sends a fulfilment that fulfils nothing',
    breakage: writing(of('PUT', /^\/transfers\/[^/]+$/), (json) => ({
      ...json,
      fulfilment: noFulfilment,
    })),
    caughtBy: ['ilp-4-fulfilment'],
  },
  {
    does: 'draws its fulfilments',
    breakage: drawingFulfilments(),
    caughtBy: ['ilp-reproducible'],
  },
  {
    does: 'fulfils a transfer that has expired',
    breakage: reading(of('POST', /^\/transfers$/, isPast), (json) => ({
      ...json,
      expiration: inAMinute(),
    })),
    caughtBy: ['payee-expired-transfer'],
  },
  {
    does: 'fulfils the transfer of an FSP that it gave no quote',
    breakage: reading(
      of('POST', /^\/transfers$/, ({ headers }) => headers['fspiop-source'] === 'stranger'),
      (json) => ({ ...json, payerFsp: 'certifier' }),
      { 'fspiop-source': 'certifier' },
    ),
    caughtBy: ['payee-other-payer'],
  },
  {
    does: 'waits for PATCH without sending its PUT again',
    breakage: sendingReservedOnce(),
    caughtBy: ['payee-put-resent'],
  },
  {
    does: 'rolls a reserved transfer back without ABORTED',
    breakage: writing(of('PUT', /^\/transactions\/[^/]+$/), (json) => ({
      ...json,
      transactionState:
        json['transactionState'] === 'PENDING' ? 'REJECTED' : json['transactionState'],
    })),
    caughtBy: ['payee-no-roll-back'],
  },
  {
    does: 'takes no notice of COMMITTED',
    breakage: ignoring(
      of('PATCH', /^\/transfers\//, ({ json }) => json['transferState'] === 'COMMITTED'),
    ),
    caughtBy: ['payee-patch-committed'],
  },
  {
    does: 'takes no notice of ABORTED',
    breakage: ignoring(
      of('PATCH', /^\/transfers\//, ({ json }) => json['transferState'] === 'ABORTED'),
    ),
    caughtBy: ['payee-patch-aborted'],
  },
  {
    does: 'refuses an unknown error code of the hub',
    breakage: refusing(
      of('PUT', /^\/transfers\/.*\/error$/, ({ json }) => JSON.stringify(json).includes('3399')),
    ),
    caughtBy: ['payee-unknown-error-code'],
  },
  {
    does: 'does not answer GET of an unknown transaction',
    breakage: dropping(of('PUT', /^\/transactions\/.*\/error$/)),
    caughtBy: ['transaction-get-unknown'],
  },
  {
    does: 'requests a payment of another amount',
    breakage: writing(of('POST', /^\/transactionRequests$/), (json) => ({
      ...json,
      amount: { currency: 'USD', amount: '11' },
    })),
    caughtBy: ['request-made'],
  },
  {
    does: 'leaves an item out of its bulk quotes',
    breakage: writing(
      of(
        'PUT',
        /^\/bulkQuotes\/[^/]+$/,
        ({ json }) => lengthOf(json['individualQuoteResults']) > 2,
      ),
      (json) => ({
        ...json,
        individualQuoteResults: (json['individualQuoteResults'] as readonly unknown[]).slice(1),
      }),
    ),
    caughtBy: ['bulk-quote-results'],
  },
  {
    does: 'sends a wrong fulfilment in a bulk',
    breakage: writing(
      of(
        'PUT',
        /^\/bulkTransfers\/[^/]+$/,
        ({ json }) => lengthOf(json['individualTransferResults']) > 2,
      ),
      (json) => ({
        ...json,
        individualTransferResults: (json['individualTransferResults'] as readonly object[]).map(
          (each) => ({ ...each, fulfilment: noFulfilment }),
        ),
      }),
    ),
    caughtBy: ['bulk-fulfilments'],
  },
  {
    does: 'refuses a whole bulk for one item',
    breakage: writing(
      of('PUT', /^\/bulkTransfers\/[^/]+$/, ({ json }) => JSON.stringify(json).includes('5105')),
      (json) => ({ ...json, individualTransferResults: [], bulkTransferState: 'REJECTED' }),
    ),
    caughtBy: ['bulk-one-item-wrong'],
  },
  {
    does: 'does not answer GET of an unknown bulk quote',
    breakage: ignoring(of('GET', /^\/bulkQuotes\//)),
    caughtBy: ['bulk-get-quote-unknown'],
  },
]

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0
}

function sendingReservedOnce(): Breakage {
  const sent = new Set<string>()
  return {
    outgoing(message, forward) {
      if (jsonOf(message.body)['transferState'] !== 'RESERVED') return forward(message)
      if (sent.has(message.path)) {
        return Promise.resolve({ status: 200, headers: {}, body: Buffer.alloc(0) })
      }
      sent.add(message.path)
      return forward(message)
    },
  }
}
