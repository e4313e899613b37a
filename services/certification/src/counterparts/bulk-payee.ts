/** The kit as the payees' FSP while the FSP under test pays several of its customers in bulk. */
import type { Kit, Matches, Triggered } from '../kit.ts'
import type { ReceivedRequest } from '../peer.ts'
import { at } from '../read.ts'
import { committed, newNumber, partyOf, quoteAnswer, type QuoteAnswer } from './payee.ts'

export interface ActingBulkPayee {
  readonly triggered: Triggered
  readonly isLookUp: Matches
  readonly isQuote: Matches
  readonly isTransfer: Matches
  itemsOf(quote: ReceivedRequest): readonly unknown[]
  /** Of the items that were quoted. */
  conditions(): readonly string[]
}

/** Has the FSP pay so many customers of the kit; the first one's quote may be refused. */
export function actingBulkPayee(
  kit: Kit,
  count: number,
  { refusesFirst = false, isSilent = false }: { refusesFirst?: boolean; isSilent?: boolean },
): ActingBulkPayee {
  const { settings } = kit
  const numbers = Array.from({ length: count }, newNumber)
  const quotes = new Map<string, QuoteAnswer>()
  const isLookUp: Matches = ({ method, path }) =>
    method === 'GET' && numbers.some((number) => path === `/parties/MSISDN/${number}`)
  const numberOf = (item: unknown) => String(at(item, 'payee', 'partyIdInfo', 'partyIdentifier'))
  const isQuote: Matches = (message) =>
    message.method === 'POST' &&
    message.path === '/bulkQuotes' &&
    itemsOf(message).some((item) => numbers.includes(numberOf(item)))
  const isTransfer: Matches = (message) =>
    message.method === 'POST' &&
    message.path === '/bulkTransfers' &&
    itemsOf(message, 'individualTransfers').some((item) =>
      quotes.has(String(at(item, 'condition'))),
    )

  answerBulk(kit, { isLookUp, isQuote, isTransfer, quotes, refusesFirst, isSilent })
  const triggered = kit.trigger({
    action: 'payBulk',
    to: numbers.map((number) => ({ partyIdType: 'MSISDN', partyIdentifier: number })),
    amount: { currency: settings.currency, amount: '10' },
    validFor_ms: settings.answer_ms + settings.silence_ms,
  })
  return {
    triggered,
    isLookUp,
    isQuote,
    isTransfer,
    itemsOf: (quote) => itemsOf(quote),
    conditions: () => [...quotes.keys()],
  }
}

function itemsOf({ json }: ReceivedRequest, list = 'individualQuotes'): readonly unknown[] {
  const items = at(json, list)
  return Array.isArray(items) ? items : []
}

interface Answering extends Pick<ActingBulkPayee, 'isLookUp' | 'isQuote' | 'isTransfer'> {
  /** By condition. */
  readonly quotes: Map<string, QuoteAnswer>
  readonly refusesFirst: boolean
  readonly isSilent: boolean
}

function answerBulk(
  kit: Kit,
  { isLookUp, isQuote, isTransfer, quotes, refusesFirst, isSilent }: Answering,
): void {
  const route = { from: kit.settings.counterparty, to: kit.settings.fsp }
  kit.on(isLookUp, ({ path }) => {
    const number = path.slice(path.lastIndexOf('/') + 1)
    kit.post({ method: 'PUT', path, ...route, body: { party: partyOf(route.from, number) } })
  })
  kit.on(isQuote, (message) => {
    const results = itemsOf(message).map((item, index) => {
      const quoteId = at(item, 'quoteId')
      if (refusesFirst && index === 0) {
        const error = { errorCode: '5103', errorDescription: 'Payee FSP rejected quote' }
        return { quoteId, errorInformation: error }
      }
      const request = { ...(item as object), payer: at(message.json, 'payer') }
      const answer = quoteAnswer(route.from, request)
      quotes.set(answer.condition, answer)
      const { expiration: _common, ...terms } = answer
      return { quoteId, ...terms }
    })
    const expiration = new Date(Date.now() + 600_000).toISOString()
    const path = `/bulkQuotes/${String(at(message.json, 'bulkQuoteId'))}`
    kit.post({
      method: 'PUT',
      path,
      ...route,
      body: { individualQuoteResults: results, expiration },
    })
  })
  kit.on(isTransfer, (message) => {
    if (isSilent) return
    const items = itemsOf(message, 'individualTransfers')
    const individualTransferResults = items.map((item) => {
      const answer = quotes.get(String(at(item, 'condition')))
      const quote = answer && { request: {}, answer }
      return { transferId: at(item, 'transferId'), fulfilment: committed({ quote }).fulfilment }
    })
    kit.post({
      method: 'PUT',
      path: `/bulkTransfers/${String(at(message.json, 'bulkTransferId'))}`,
      ...route,
      body: {
        completedTimestamp: new Date().toISOString(),
        individualTransferResults,
        bulkTransferState: 'COMPLETED',
      },
    })
  })
}
