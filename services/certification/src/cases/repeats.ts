/**
 * The three cases of a repeated POST, for each resource that a payee's FSP or a DFSP answers: while the first is
 * being answered, after it was answered, and with other content.
 */
import { randomUUID } from 'node:crypto'
import type { Case, Role } from '../case.ts'
import { newQuote, quoted, route, transferOn } from '../counterparts/payer.ts'
import { bulkQuote, bulkQuoted, bulkTransferOn } from '../counterparts/bulk-payer.ts'
import { newNumber } from '../counterparts/payee.ts'
import { newConsentRequest, transactionRequest, userOf } from '../counterparts/pisp.ts'
import { describe, type Kit, type Matches } from '../kit.ts'
import { ensure, expectError, isAnswer, servedOrNotRun } from '../read.ts'

interface Repeatable {
  readonly role: Role
  /** Its path without the first slash. */
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
    role: 'payee',
    resource: 'quotes',
    section: 'FSPIOP 3.2.5, 6.5.3.2',
    make(kit) {
      const body = newQuote(kit)
      const modified = { ...body, amount: { currency: kit.settings.currency, amount: '9' } }
      return Promise.resolve({ id: body.quoteId, body, modified })
    },
  },
  {
    role: 'payee',
    resource: 'transfers',
    section: 'FSPIOP 3.2.5, 6.7.3.2',
    async make(kit) {
      const body = transferOn(kit, await quoted(kit))
      const later = new Date(Date.parse(String(body['expiration'])) + 1_000).toISOString()
      return { id: body.transferId, body, modified: { ...body, expiration: later } }
    },
  },
  {
    role: 'payee',
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
    role: 'payee',
    resource: 'bulkTransfers',
    section: 'FSPIOP 3.2.5, 6.10.3.2',
    async make(kit) {
      const body = bulkTransferOn(kit, await bulkQuoted(kit, 2))
      const modified = { ...body, bulkQuoteId: randomUUID() }
      return { id: body.bulkTransferId, body, modified }
    },
  },
  {
    role: 'dfsp',
    resource: 'consentRequests',
    section: 'FSPIOP 3.2.5, Third-Party: linking 1.3',
    async make(kit) {
      const body = await newConsentRequest(kit)
      return { id: body.consentRequestId, body, modified: { ...body, userId: 'certification' } }
    },
  },
  {
    role: 'dfsp',
    resource: 'thirdpartyRequests/transactions',
    section: 'FSPIOP 3.2.5, Third-Party: transfer 1.2',
    make(kit) {
      userOf(kit)
      const id = randomUUID()
      // An account that is not linked: the answer is an error, and is repeated like any other.
      const body = transactionRequest(kit, id, `certification.${id}`, newNumber())
      return Promise.resolve({ id, body, modified: { ...body, amountType: 'RECEIVE' } })
    },
  },
]

async function post(kit: Kit, resource: string, body: object): Promise<void> {
  const path = `/${resource}`
  servedOrNotRun(await kit.send({ method: 'POST', path, ...route(kit), body }), path)
}

export const repeats: readonly Case[] = all.flatMap(({ role, resource, section, make }) => {
  const name = resource.slice(resource.lastIndexOf('/') + 1)
  const putOf = (id: string): Matches => isAnswer(`/${resource}/${id}`)
  return [
    {
      id: `repeat-${name}-in-progress`,
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
      id: `repeat-${name}-answered`,
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
      id: `repeat-${name}-modified`,
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
