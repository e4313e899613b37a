/** Bulk quotes and bulk transfers: each item has a result of its own. */
import { amountToIlp, decodePacket, fulfils, putBulkTransfers } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { type Case, NotRun } from '../case.ts'
import { type BulkTransferRequest, bulkQuoted, bulkTransferOn } from '../counterparts/bulk-payer.ts'
import { actingBulkPayee } from '../counterparts/bulk-payee.ts'
import { route } from '../counterparts/payer.ts'
import { describe, type Kit } from '../kit.ts'
import { at, bodyOf, ensure, expectError, isAnswer, servedOrNotRun } from '../read.ts'

async function bulkTransferred(kit: Kit, body: BulkTransferRequest) {
  const draft = { method: 'POST', path: '/bulkTransfers', ...route(kit), body } as const
  servedOrNotRun(await kit.send(draft), '/bulkTransfers')
  const path = `/bulkTransfers/${body.bulkTransferId}`
  const message = await kit.expect('PUT /bulkTransfers/{ID}', isAnswer(path))
  ensure(!message.path.endsWith('/error'), 'PUT /bulkTransfers/{ID}', describe(message))
  const { individualTransferResults: results = [] } = bodyOf(putBulkTransfers, message)
  return { message, results }
}

const asPayee: readonly Case[] = [
  {
    id: 'bulk-quote-results',
    title:
      'A bulk quote is answered with one result for each item, each with a packet of its amount',
    role: 'payee',
    section: 'FSPIOP 6.9.4.1',
    async run(kit) {
      const { request, terms } = await bulkQuoted(kit, 3)
      const { individualQuoteResults: results = [] } = terms
      const expected = request.individualQuotes.map(({ quoteId }) => quoteId)
      const seen = results.map(({ quoteId }) => quoteId)
      ensure(
        expected.length === seen.length && expected.every((id) => seen.includes(id)),
        `a result for each of ${expected.join(', ')}`,
        seen.join(', '),
      )
      for (const { transferAmount, ilpPacket, quoteId } of results) {
        if (transferAmount === undefined) continue
        const packet = decodePacket(ilpPacket ?? '')
        const amount = amountToIlp(transferAmount.amount, transferAmount.currency)
        ensure(packet?.amount === amount, `amount ${amount} of ${quoteId}`, String(packet?.amount))
      }
    },
  },
  {
    id: 'bulk-fulfilments',
    title: 'A bulk transfer is answered with the fulfilment of each item',
    role: 'payee',
    section: 'FSPIOP 6.10.4.1',
    async run(kit) {
      const body = bulkTransferOn(kit, await bulkQuoted(kit, 3))
      const { results, message } = await bulkTransferred(kit, body)
      for (const { transferId, condition } of body.individualTransfers) {
        const result = results.find((each) => each.transferId === transferId)
        ensure(
          result?.fulfilment !== undefined && fulfils(result.fulfilment, condition),
          `the fulfilment of ${condition} for ${transferId}`,
          describe(message),
        )
      }
    },
  },
  {
    id: 'bulk-one-item-wrong',
    title: 'An item of another amount than that of its packet fails alone',
    role: 'payee',
    section: 'FSPIOP 6.10.4.1',
    async run(kit) {
      const whole = bulkTransferOn(kit, await bulkQuoted(kit, 2))
      const [wrong, right] = whole.individualTransfers
      if (wrong === undefined || right === undefined) {
        throw new NotRun('the FSP quoted fewer than two items')
      }
      const { currency } = wrong.transferAmount
      const changed = { ...wrong, transferAmount: { currency, amount: '1' } }
      const body = { ...whole, individualTransfers: [changed, right] }
      const { results, message } = await bulkTransferred(kit, body)
      const resultOf = (id: string) => results.find(({ transferId }) => transferId === id)
      const error = resultOf(wrong.transferId)?.errorInformation
      ensure(error !== undefined, `an error of ${wrong.transferId}`, describe(message))
      const { fulfilment = '' } = resultOf(right.transferId) ?? {}
      ensure(
        fulfils(fulfilment, right.condition),
        `the fulfilment of ${right.transferId}`,
        describe(message),
      )
    },
  },
  {
    id: 'bulk-get-quote-unknown',
    title: 'GET of an unknown bulk quote is answered with 3209',
    role: 'payee',
    section: 'FSPIOP 6.9.5, 7.6',
    async run(kit) {
      const path = `/bulkQuotes/${randomUUID()}`
      servedOrNotRun(await kit.send({ method: 'GET', path, ...route(kit) }), '/bulkQuotes')
      expectError(await kit.expect(`PUT ${path}/error`, isAnswer(path)), ['3209', '3200'])
    },
  },
]

const asPayer: readonly Case[] = [
  {
    id: 'bulk-payer-accepted-items',
    title: 'A bulk transfer carries the items that were quoted, and none that was refused',
    role: 'payer',
    section: 'FSPIOP 6.9.4.1, 6.10.3.2',
    async run(kit) {
      const acting = actingBulkPayee(kit, 3, { refusesFirst: true })
      await acting.triggered.begun('GET /parties for the payees', acting.isLookUp)
      const quote = await kit.expect('POST /bulkQuotes', acting.isQuote)
      ensure(acting.itemsOf(quote).length === 3, 'one bulk quote with three items', describe(quote))
      const transfer = await kit.expect('POST /bulkTransfers', acting.isTransfer)
      const items = at(transfer.json, 'individualTransfers')
      const conditions = Array.isArray(items) ? items.map((item) => at(item, 'condition')) : []
      const agreed = acting.conditions()
      ensure(
        conditions.length === agreed.length && agreed.every((each) => conditions.includes(each)),
        `items with the conditions ${agreed.join(', ')}`,
        describe(transfer),
      )
    },
  },
  {
    id: 'bulk-payer-silence',
    title: 'When the outcome of a bulk does not come, the FSP asks with GET /bulkTransfers/{ID}',
    role: 'payer',
    section: 'FSPIOP 6.10.3.1',
    async run(kit) {
      const acting = actingBulkPayee(kit, 2, { isSilent: true })
      await acting.triggered.begun('GET /parties for the payees', acting.isLookUp)
      const transfer = await kit.expect('POST /bulkTransfers', acting.isTransfer)
      const path = `/bulkTransfers/${String(at(transfer.json, 'bulkTransferId'))}`
      await kit.expect(
        `GET ${path}`,
        (message) => message.method === 'GET' && message.path === path,
        kit.settings.silence_ms,
      )
    },
  },
]

export const bulk: readonly Case[] = [...asPayee, ...asPayer]
