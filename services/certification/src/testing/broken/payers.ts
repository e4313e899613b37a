/** FSPs that pay in a way that breaks one rule. */
import { accepted, type Breakage } from '../breaking.ts'
import {
  dropping,
  of,
  reading,
  refusing,
  repeatingAfter,
  takingFor,
  writing,
} from '../breakages.ts'
import type { Broken } from '../caught.ts'

const quotes = of('POST', /^\/quotes$/)
const transfers = of('POST', /^\/transfers$/)
const isGrown = ({ json }: { json: object }) => JSON.stringify(json).includes('certificationMember')
const hasCode = (code: string) => (message: { json: object }) =>
  JSON.stringify(message.json).includes(`"${code}"`)

export const brokenPayers: readonly Broken[] = [
  {
    does: 'sends a request again after 302',
    breakage: repeatingAfter(quotes, 302),
    caughtBy: ['payer-redirect'],
  },
  {
    does: 'sends a request again after 400',
    breakage: repeatingAfter(quotes, 400),
    caughtBy: ['payer-400'],
  },
  {
    does: 'sends a request again after 501',
    breakage: repeatingAfter(quotes, 501),
    caughtBy: ['payer-501'],
  },
  {
    does: 'sends a request again after an unlisted 4xx',
    breakage: repeatingAfter(quotes, 418),
    caughtBy: ['payer-unlisted-4xx'],
  },
  {
    does: 'does not send a request again after 503',
    breakage: takingFor(transfers, 503, 202),
    caughtBy: ['payer-503'],
  },
  {
    does: 'does not send a request again that got no answer',
    breakage: {
      outgoing: (message, forward) => forward(message).catch(() => accepted),
    },
    caughtBy: ['payer-no-answer'],
  },
  {
    does: 'takes an unlisted 2xx for a refusal',
    breakage: takingFor(quotes, 204, 400),
    caughtBy: ['payer-unlisted-2xx'],
  },
  {
    does: 'sends a request without Accept',
    breakage: writing(of('GET', /^\/parties/), (json) => json, { accept: undefined }),
    caughtBy: ['payer-form'],
  },
  {
    does: 'transfers another amount than that of the quote',
    breakage: writing(transfers, (json) => ({
      ...json,
      amount: { currency: 'USD', amount: '9' },
    })),
    caughtBy: ['payer-terms-kept'],
  },
  {
    does: 'never asks for the outcome of a transfer',
    breakage: dropping(of('GET', /^\/transfers\//)),
    caughtBy: ['payer-asks-after-silence', 'payer-technical-error'],
  },
  {
    does: 'refuses members that the API does not define',
    breakage: refusing(of('PUT', /^\//, isGrown)),
    caughtBy: ['payer-unknown-members'],
  },
  {
    does: 'refuses an unknown error code',
    breakage: refusing(of('PUT', /^\/quotes\/.*\/error$/, hasCode('5199'))),
    caughtBy: ['payer-unknown-error-code'],
  },
  {
    does: 'pays a quote whatever its transfer amount',
    breakage: reading(of('PUT', /^\/quotes\/[^/]+$/), (json) => ({
      ...json,
      transferAmount: { currency: 'USD', amount: '10' },
    })),
    caughtBy: ['payer-wrong-amount'],
  },
  {
    does: 'pays a quote that has expired',
    breakage: reading(of('PUT', /^\/quotes\/[^/]+$/), (json) => ({
      ...json,
      expiration: new Date(Date.now() + 60_000).toISOString(),
    })),
    caughtBy: ['payer-expired-quote'],
  },
  {
    does: 'takes COMMITTED with a wrong fulfilment for a proof',
    breakage: believing(),
    only: ['payer-wrong-fulfilment'],
    caughtBy: ['payer-wrong-fulfilment'],
  },
  {
    does: 'leaves a transfer open that was aborted',
    breakage: {
      report: async (outcome) => {
        const { state } = await outcome
        return { state: state === 'ABORTED' ? 'UNRESOLVED' : String(state) }
      },
    },
    caughtBy: ['payer-aborted'],
  },
  {
    does: 'takes a technical error for the end of a transfer',
    breakage: reading(of('PUT', /^\/transfers\/.*\/error$/), () => ({
      errorInformation: { errorCode: '5104', errorDescription: 'Rejected' },
    })),
    caughtBy: ['payer-technical-error'],
  },
  {
    does: 'repeats a version that was refused',
    breakage: repeatingAfter(quotes, 406),
    caughtBy: ['payer-version-refused'],
  },
  {
    does: 'believes a stranger’s answer to its quote',
    breakage: reading(of('PUT', /^\/quotes\//), (json) => json, { 'fspiop-source': 'certifier' }),
    caughtBy: ['payer-other-party'],
  },
  {
    does: 'requests a quote for an unknown payee',
    breakage: findingAll(),
    caughtBy: ['payer-party-not-found'],
  },
  {
    does: 'answers a payment request with a state of its own',
    breakage: writing(of('PUT', /^\/transactionRequests\/[^/]+$/), (json) => ({
      ...json,
      transactionRequestState: 'WAITING',
    })),
    caughtBy: ['request-received'],
  },
  {
    does: 'quotes a payment request without naming it',
    breakage: writing(quotes, ({ transactionRequestId: _left, ...json }) => json),
    caughtBy: ['request-quoted'],
  },
  {
    does: 'does not answer GET of an unknown payment request',
    breakage: dropping(of('PUT', /^\/transactionRequests\/.*\/error$/)),
    caughtBy: ['request-get-unknown'],
  },
  {
    does: 'transfers an item fewer than was quoted',
    breakage: writing(of('POST', /^\/bulkTransfers$/), (json) => ({
      ...json,
      individualTransfers: (json['individualTransfers'] as readonly unknown[]).slice(1),
    })),
    caughtBy: ['bulk-payer-accepted-items'],
  },
  {
    does: 'never asks for the outcome of a bulk',
    breakage: dropping(of('GET', /^\/bulkTransfers\//)),
    caughtBy: ['bulk-payer-silence'],
  },
]

/** Reports COMMITTED as soon as a message has that word, and asks nothing. */
function believing(): Breakage {
  let believe: (outcome: { state: string }) => void = () => undefined
  const believed = new Promise<{ state: string }>((resolve) => {
    believe = resolve
  })
  return {
    ...dropping(of('GET', /^\/transfers\//)),
    incoming(message, receive) {
      if (message.body.includes('COMMITTED')) believe({ state: 'COMMITTED' })
      return receive(message)
    },
    report: (outcome) => Promise.race([outcome, believed]),
  }
}

/** Takes the error of a lookup for a party at the kit. */
function findingAll(): Breakage {
  return {
    incoming(message, receive) {
      const { target } = message
      if (!/^\/parties\/.*\/error$/.test(target)) return receive(message)
      const [, , partyIdType, partyIdentifier] = target.split('/')
      const partyIdInfo = { partyIdType, partyIdentifier, fspId: 'certifier' }
      const body = Buffer.from(JSON.stringify({ party: { partyIdInfo } }))
      return receive({ ...message, target: target.replace('/error', ''), body })
    },
  }
}
