/**
 * Bodies that are unusual but allowed, and bodies that are wrong: the FSP accepts the first, refuses the
 * others by status and code, and survives both.
 */
import { type Case, Unmet } from '../case.ts'
import { askForQuote, customerOf, newQuote, quoted, route, termsOf } from '../counterparts/payer.ts'
import { describe, describeAnswer, type Kit } from '../kit.ts'
import type { FspResponse } from '../peer.ts'
import { ensure, expectRefusal, isAnswer } from '../read.ts'

const role = 'payee' as const

/** POST /quotes with this body. */
function postQuote(kit: Kit, body: object): Promise<FspResponse | undefined> {
  return kit.send({ method: 'POST', path: '/quotes', ...route(kit), body })
}

/** A quote that is answered with terms. */
async function expectTerms(kit: Kit, changes: Readonly<Record<string, unknown>>): Promise<void> {
  await quoted(kit, changes)
}

/** A name in scripts that need more than one byte for a character. */
const names = ['Zoë Ångström', 'ดวงใจ ตัวอย่าง', '山田 太郎', 'O’Neil'.replace('’', "'")]

export const bodies: readonly Case[] = [
  {
    id: 'body-unknown-members',
    title: 'Members that the API does not define are accepted, at any depth',
    role,
    section: 'FSPIOP 3.3.2',
    run: (kit) =>
      expectTerms(kit, {
        certificationMember: [1, { of: null }],
        amount: { currency: kit.settings.currency, amount: '10', certificationMember: true },
      }),
  },
  {
    id: 'body-names',
    title: 'Names in any script are accepted',
    role,
    section: 'FSPIOP 7.3 (Name)',
    async run(kit) {
      const { payer } = newQuote(kit)
      for (const firstName of names) {
        const personalInfo = { complexName: { firstName } }
        await expectTerms(kit, { payer: { ...(payer as object), name: firstName, personalInfo } })
      }
    },
  },
  {
    id: 'body-written-otherwise',
    title: 'JSON with line breaks, escapes and members in another order is accepted',
    role,
    section: 'FSPIOP 3.1.6, 3.3.1',
    async run(kit) {
      const request = newQuote(kit, { note: 'Certification: Ω' })
      const members = Object.entries(request).toReversed()
      const text = JSON.stringify(Object.fromEntries(members), undefined, 2)
      await askForQuote(kit, request, { body: Buffer.from(text.replaceAll('Ω', '\\u03a9')) })
      await termsOf(kit, request)
    },
  },
  {
    id: 'body-extensions',
    title: 'Sixteen extensions are accepted',
    role,
    section: 'FSPIOP 7.4 (ExtensionList)',
    run: (kit) => expectTerms(kit, { extensionList: { extension: extensions(16) } }),
  },
  {
    id: 'body-extensions-too-many',
    title: 'Seventeen extensions are refused with 400',
    role,
    section: 'FSPIOP 7.4 (ExtensionList)',
    async run(kit) {
      const body = newQuote(kit, { extensionList: { extension: extensions(17) } })
      expectRefusal(await postQuote(kit, body), 400, ['3103', '3100', '3101'])
    },
  },
  {
    id: 'body-no-json',
    title: 'A body that is no JSON is refused with 400',
    role,
    section: 'FSPIOP 3.1.6, 7.6',
    async run(kit) {
      customerOf(kit)
      for (const text of ['', '{"quoteId":', '[]', '"text"', 'null']) {
        expectRefusal(await postQuote(kit, Buffer.from(text)), 400, ['3100', '3101', '3102'])
      }
    },
  },
  {
    id: 'body-missing-member',
    title: 'A body without a mandatory member is refused with 400',
    role,
    section: 'FSPIOP 7.6',
    async run(kit) {
      const { amount: _left, ...body } = newQuote(kit)
      expectRefusal(await postQuote(kit, body), 400, ['3102', '3100'])
    },
  },
  {
    id: 'body-wrong-values',
    title: 'Values that their types do not allow are refused with 400',
    role,
    section: 'FSPIOP 7.2, 7.3, 7.6',
    async run(kit) {
      const { currency } = kit.settings
      const wrong: readonly Readonly<Record<string, unknown>>[] = [
        { amount: { currency, amount: 10 } },
        { amount: { currency, amount: '10.50' } },
        { amount: { currency, amount: '-1' } },
        { amount: { currency: 'usd', amount: '10' } },
        { amountType: 'BOTH' },
        { expiration: '2030-01-01' },
        { transactionId: '1' },
      ]
      for (const changes of wrong) {
        const answer = await postQuote(kit, newQuote(kit, changes))
        try {
          expectRefusal(answer, 400, ['3100', '3101'])
        } catch (error) {
          if (!(error instanceof Unmet)) throw error
          throw new Unmet(`${error.expected} to ${JSON.stringify(changes)}`, error.seen)
        }
      }
    },
  },
  {
    id: 'body-hostile',
    title: 'A body that no client writes is refused with 400, and the next request is answered',
    role,
    section: 'FSPIOP 3.1.5, 3.1.6',
    async run(kit) {
      const text = JSON.stringify(newQuote(kit))
      const hostile: readonly Buffer[] = [
        Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
        Buffer.from('['.repeat(100_000)),
        Buffer.from(`{"a":`.repeat(20_000)),
        Buffer.from(text.replace('"quoteId"', '"quoteId":"","quoteId"')),
      ]
      for (const body of hostile) {
        const answer = await postQuote(kit, body)
        const seen = `${describeAnswer(answer)} to ${body.toString().slice(0, 60)}`
        ensure(answer?.status === 400, '400', seen)
      }
      await expectTerms(kit, {})
    },
  },
  {
    id: 'body-too-large',
    title: 'A body of more than 5 MiB is not accepted, and the next request is answered',
    role,
    section: 'FSPIOP 3.2.1.1',
    async run(kit) {
      const answer = await postQuote(kit, newQuote(kit, { note: 'x'.repeat(5_300_000) }))
      ensure(answer === undefined || answer.status >= 400, 'no acceptance', describeAnswer(answer))
      await expectTerms(kit, {})
    },
  },
  {
    id: 'header-large',
    title: 'Headers of 60,000 bytes are accepted',
    role,
    section: 'FSPIOP 3.2.1',
    async run(kit) {
      const request = newQuote(kit)
      const list = Array.from({ length: 5_000 }, () => '192.0.2.7')
      await askForQuote(kit, request, { headers: { 'x-forwarded-for': list.join(', ') } })
      await termsOf(kit, request)
    },
  },
  {
    id: 'body-nothing-remembered',
    title:
      'A refused request leaves nothing behind: the corrected one with the same id is answered',
    role,
    section: 'FSPIOP 3.2.5',
    async run(kit) {
      const request = newQuote(kit)
      const answer = await postQuote(kit, { ...request, amountType: 'BOTH' })
      ensure(answer?.status === 400, '400 to amountType BOTH', describeAnswer(answer))
      await askForQuote(kit, request)
      const path = `/quotes/${request.quoteId}`
      const message = await kit.expect(`PUT ${path}`, isAnswer(path))
      ensure(!message.path.endsWith('/error'), `PUT ${path} with terms`, describe(message))
    },
  },
]

function extensions(count: number) {
  return Array.from({ length: count }, (_each, index) => ({ key: `k${index}`, value: 'v' }))
}
