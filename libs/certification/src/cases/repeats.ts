/**
 * The three cases of a repeated POST, for each resource that a payee's FSP answers: while the first is
 * being answered, after it was answered, and with other content.
 */
import { randomUUID } from 'node:crypto'
import type { Case } from '../case.ts'
import { newQuote, quoted, route, transferOn } from '../counterparts/payer.ts'
import { bulkQuote, bulkQuoted, bulkTransferOn } from '../counterparts/bulk-payer.ts'
import { describe, type Kit, type Matches } from '../kit.ts'
import { ensure, expectError, isAnswer, servedOrNotRun } from '../read.ts'

interface Repeatable {
  readonly resource: string
  readonly section: string
  /** A new request, its id, and the same with other content. */
  readonly make: (kit: Kit) => Promise<{
    readonly id: string
    readonly body: object
    readonly modified: object
  }>
}

const all: readonly Repeatable[] = [
  {
    resource: 'quotes',
    section: 'FSPIOP 3.2.5, 6.5.3.2',
    make(kit) {
      const body = newQuote(kit)
      const modified = { ...body, amount: { currency: kit.settings.currency, amount: '9' } }
      return Promise.resolve({ id: body.quoteId, body, modified })
    },
  },
  {
    resource: 'transfers',
    section: 'FSPIOP 3.2.5, 6.7.3.2',
    async make(kit) {
      const body = transferOn(kit, await quoted(kit))
      const later = new Date(Date.parse(String(body['expiration'])) + 1_000).toISOString()
      return { id: body.transferId, body, modified: { ...body, expiration: later } }
    },
  },
  {
    resource: 'bulkQuotes',
    section: 'FSPIOP 3.2.5, 6.9.3.2',
    make(kit) {
      const body = bulkQuote(kit, 2)
      const [first] = body.individualQuotes
      return Promise.resolve({
        id: body.bulkQuoteId,
        body,
        modified: { ...body, individualQuotes: [first] },
      })
    },
  },
  {
    resource: 'bulkTransfers',
    section: 'FSPIOP 3.2.5, 6.10.3.2',
    async make(kit) {
      const body = bulkTransferOn(kit, await bulkQuoted(kit, 2))
      const modified = { ...body, bulkQuoteId: randomUUID() }
      return { id: body.bulkTransferId, body, modified }
    },
  },
]

async function post(kit: Kit, resource: string, body: object): Promise<void> {
  const path = `/${resource}`
  servedOrNotRun(await kit.send({ method: 'POST', path, ...route(kit), body }), path)
}

export const repeats: readonly Case[] = all.flatMap(({ resource, section, make }) => {
  const role = 'payee' as const
  const putOf = (id: string): Matches => isAnswer(`/${resource}/${id}`)
  return [
    {
      id: `repeat-${resource}-in-progress`,
      title: `A repeat of POST /${resource} before the answer does nothing new: all answers are the same`,
      role,
      section,
      async run(kit) {
        const { id, body } = await make(kit)
        await Promise.all([post(kit, resource, body), post(kit, resource, body)])
        const first = await kit.expect(`PUT /${resource}/{ID}`, putOf(id))
        await kit.expectNone(
          `other answer than ${describe(first)}`,
          (message) => putOf(id)(message) && !message.body.equals(first.body),
        )
      },
    },
    {
      id: `repeat-${resource}-answered`,
      title: `A repeat of an answered POST /${resource} gets the same answer again`,
      role,
      section,
      async run(kit) {
        const { id, body } = await make(kit)
        await post(kit, resource, body)
        const first = await kit.expect(`PUT /${resource}/{ID}`, putOf(id))
        await post(kit, resource, body)
        const again = await kit.expect(
          `PUT /${resource}/{ID} again`,
          (message) => message !== first && putOf(id)(message),
        )
        ensure(again.body.equals(first.body), describe(first), describe(again))
      },
    },
    {
      id: `repeat-${resource}-modified`,
      title: `POST /${resource} with a known id and other content is answered with 3106`,
      role,
      section,
      async run(kit) {
        const { id, body, modified } = await make(kit)
        await post(kit, resource, body)
        const first = await kit.expect(`PUT /${resource}/{ID}`, putOf(id))
        await post(kit, resource, modified)
        const refusal = await kit.expect(
          `PUT /${resource}/{ID}/error`,
          (message) => message !== first && putOf(id)(message),
        )
        expectError(refusal, ['3106'])
      },
    },
  ]
})
