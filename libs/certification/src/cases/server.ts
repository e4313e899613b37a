/**
 * The FSP as a server: acknowledgements, versions that a client may ask for, and bodies that are unusual
 * or wrong. A refusal names its reason by status and code.
 */
import { randomUUID } from 'node:crypto'
import { type Case, Unmet } from '../case.ts'
import {
  askForQuote,
  customerOf,
  newQuote,
  partyPath,
  quoted,
  route,
  termsOf,
} from '../counterparts/payer.ts'
import { describe, describeAnswer, type Kit } from '../kit.ts'
import { type Answer, jsonIn } from '../peer.ts'
import { at, ensure, expectRefusal, isAnswer } from '../read.ts'

const role = 'payee' as const

const typeOf = (resource: string, version: string) =>
  `application/vnd.interoperability.${resource}+json;version=${version}`

/** POST /quotes with this body. */
function postQuote(kit: Kit, body: object): Promise<Answer | undefined> {
  return kit.send({ method: 'POST', path: '/quotes', ...route(kit), body })
}

/** A quote that is answered with terms. */
async function expectTerms(kit: Kit, changes: Readonly<Record<string, unknown>>): Promise<void> {
  await quoted(kit, changes)
}

const acknowledgements: readonly Case[] = [
  {
    id: 'server-202',
    title: 'A request is answered with 202 and without a body, with the media type of the resource',
    role,
    section: 'FSPIOP 3.2.1.2, 3.2.4',
    async run(kit) {
      const answer = await kit.sendExpecting(202, {
        method: 'POST',
        path: '/quotes',
        ...route(kit),
        body: newQuote(kit),
      })
      ensure(answer.body.length === 0, 'no body', describeAnswer(answer))
      const type = String(answer.headers['content-type'])
      ensure(
        type.startsWith('application/vnd.interoperability.quotes+json'),
        'Content-Type application/vnd.interoperability.quotes+json',
        type,
      )
    },
  },
  {
    id: 'server-200',
    title: 'A callback is answered with 200, also one that the FSP does not wait for',
    role,
    section: 'FSPIOP 3.2.4',
    async run(kit) {
      const path = `/quotes/${randomUUID()}/error`
      const errorInformation = { errorCode: '3205', errorDescription: 'Quote ID not found' }
      await kit.sendExpecting(200, {
        method: 'PUT',
        path,
        ...route(kit),
        body: { errorInformation },
      })
    },
  },
  {
    id: 'server-unknown-path',
    title: 'An unknown path is answered with 404',
    role,
    section: 'FSPIOP 3.2.4',
    async run(kit) {
      const headers = {
        accept: typeOf('quotes', '1.1'),
        'content-type': typeOf('quotes', '1.1'),
      }
      await kit.sendExpecting(404, {
        method: 'GET',
        path: '/certification/unknown',
        version: '1.0',
        headers,
        ...route(kit),
      })
    },
  },
  {
    id: 'server-unknown-method',
    title: 'A method that a path does not have is answered with 405',
    role,
    section: 'FSPIOP 3.2.4',
    async run(kit) {
      const path = `/quotes/${randomUUID()}`
      await kit.sendExpecting(405, { method: 'DELETE', path, ...route(kit) })
    },
  },
]

const versions: readonly Case[] = [
  {
    id: 'version-unsupported',
    title:
      'A request for an unsupported version is answered with 406, 3001 and the supported versions',
    role,
    section: 'FSPIOP 3.3.4.3',
    async run(kit) {
      const answer = await kit.send({
        method: 'GET',
        path: partyPath(kit),
        ...route(kit),
        headers: { accept: typeOf('parties', '9.9') },
      })
      expectRefusal(answer, 406, ['3001'])
      const list = at(
        jsonIn(answer?.body ?? Buffer.alloc(0)),
        'errorInformation',
        'extensionList',
        'extension',
      )
      ensure(
        Array.isArray(list) && list.some((each) => at(each, 'key') === '1'),
        'an extensionList with the supported versions, major as key and minor as value',
        describeAnswer(answer),
      )
    },
  },
  {
    id: 'version-major',
    title: 'A request for a major version alone is accepted',
    role,
    section: 'FSPIOP 3.3.4.1',
    async run(kit) {
      const accept = typeOf('quotes', '1')
      const request = newQuote(kit)
      await askForQuote(kit, request, { headers: { accept } })
      await termsOf(kit, request)
    },
  },
  {
    id: 'version-list',
    title: 'Of several versions the first one that is supported is taken',
    role,
    section: 'FSPIOP 3.3.4.1',
    async run(kit) {
      const accept = `${typeOf('quotes', '9')}, ${typeOf('quotes', '1')}`
      const request = newQuote(kit)
      await askForQuote(kit, request, { headers: { accept } })
      await termsOf(kit, request)
    },
  },
  {
    id: 'version-of-callback',
    title: 'A callback has the version that the client asked for',
    role,
    section: 'FSPIOP 3.3.4.2',
    async run(kit) {
      const request = newQuote(kit)
      await askForQuote(kit, request, { version: '1.0' })
      const { message } = await termsOf(kit, request)
      const type = String(message.headers['content-type'])
      ensure(type.endsWith('version=1.0'), typeOf('quotes', '1.0'), type)
    },
  },
  {
    id: 'version-accept-missing',
    title: 'A request without Accept is answered with 400 and 3102',
    role,
    section: 'FSPIOP 3.2.1.1',
    async run(kit) {
      const answer = await kit.send({
        method: 'GET',
        path: partyPath(kit),
        ...route(kit),
        headers: { accept: undefined },
      })
      expectRefusal(answer, 400, ['3102'])
    },
  },
  {
    id: 'version-accept-on-put',
    title: 'A callback needs no Accept, and one that is there changes nothing',
    role,
    section: 'FSPIOP 3.2.1.1',
    async run(kit) {
      const errorInformation = { errorCode: '3205', errorDescription: 'Quote ID not found' }
      await kit.sendExpecting(200, {
        method: 'PUT',
        path: `/quotes/${randomUUID()}/error`,
        ...route(kit),
        headers: { accept: '*/*' },
        body: { errorInformation },
      })
    },
  },
]

/** A name in scripts that need more than one byte for a character. */
const names = ['Zoë Ångström', 'ดวงใจ ตัวอย่าง', '山田 太郎', 'O’Neil'.replace('’', "'")]

const bodies: readonly Case[] = [
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
    section: 'FSPIOP 3.1.5, Signature 3.1',
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
    section: 'FSPIOP 3.1.5, 7.6',
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

export const server: readonly Case[] = [...acknowledgements, ...versions, ...bodies]
