/** FSPs that answer requests in a way that breaks one rule. */
import { isUtf8 } from 'node:buffer'
import {
  acceptingRefused,
  answering,
  of,
  refusing,
  sending,
  writing,
  type About,
} from '../breakages.ts'
import { type Breakage, jsonOf } from '../breaking.ts'
import type { Broken } from '../caught.ts'

const quotes = (also: (about: About) => boolean) => of('POST', /^\/quotes$/, also)
const header = (name: string, value: RegExp) => (about: About) =>
  value.test(String(about.headers[name]))
const isWithout = (name: string) => (about: About) => about.headers[name] === undefined
const extensionsIn = ({ json }: About) => {
  const { extension } = (json['extensionList'] ?? {}) as { extension?: readonly unknown[] }
  return extension?.length
}
const isTerms = of('PUT', /^\/quotes\/[^/]+$/)

const servers: readonly Broken[] = [
  {
    does: 'writes an error into an acknowledgement',
    breakage: answering(
      quotes(() => true),
      (answer) =>
        answer.status === 202
          ? { ...answer, error: { errorCode: '2001', errorDescription: 'none' } }
          : answer,
    ),
    caughtBy: ['server-202'],
  },
  {
    does: 'refuses a callback that it does not wait for',
    breakage: refusing(of('PUT', /^\/quotes\/.*\/error$/, isWithout('accept')), 404),
    caughtBy: ['server-200'],
  },
  {
    does: 'refuses a query that the API does not define',
    breakage: {
      incoming: (message, receive) =>
        message.target.includes('?') ? Promise.resolve({ status: 400 }) : receive(message),
    },
    caughtBy: ['server-query'],
  },
  {
    does: 'answers an unknown path with 400',
    breakage: answering(of('GET', /^\/certification/), (answer) => ({ ...answer, status: 400 })),
    caughtBy: ['server-unknown-path'],
  },
  {
    does: 'answers an unknown method with 404',
    breakage: answering(of('DELETE', /^\/quotes/), (answer) => ({ ...answer, status: 404 })),
    caughtBy: ['server-unknown-method'],
  },
  {
    does: 'refuses a version without naming the supported ones',
    breakage: answering(of('GET', /^\/parties/), ({ status, error }) =>
      error === undefined
        ? { status }
        : {
            status,
            error: { errorCode: error.errorCode, errorDescription: error.errorDescription },
          },
    ),
    caughtBy: ['version-unsupported'],
  },
  {
    does: 'refuses a major version alone',
    breakage: refusing(quotes(header('accept', /^[^,]*version=1$/)), 406),
    caughtBy: ['version-major'],
  },
  {
    does: 'reads the first of several versions alone',
    breakage: refusing(quotes(header('accept', /,/)), 406),
    caughtBy: ['version-list'],
  },
  {
    does: 'answers in its own version',
    breakage: writing(isTerms, (json) => json, {
      'content-type': 'application/vnd.interoperability.quotes+json;version=1.1',
    }),
    caughtBy: ['version-of-callback'],
  },
  {
    does: 'accepts a request without Accept',
    breakage: acceptingRefused(of('GET', /^\/parties/, isWithout('accept'))),
    caughtBy: ['version-accept-missing'],
  },
  {
    does: 'refuses a callback for its Accept',
    breakage: refusing(of('PUT', /^\/quotes/, header('accept', /^\*\/\*$/))),
    caughtBy: ['version-accept-on-put'],
  },
  {
    does: 'refuses members that the API does not define',
    breakage: refusing(quotes(({ json }) => JSON.stringify(json).includes('certificationMember'))),
    caughtBy: ['body-unknown-members'],
  },
  {
    does: 'refuses names that are not in ASCII',
    breakage: refusing(quotes(({ json }) => /[^\0-\x7f]/.test(JSON.stringify(json['payer'])))),
    caughtBy: ['body-names'],
  },
  {
    does: 'reads JSON on one line alone',
    breakage: {
      incoming: (message, receive) =>
        message.body.includes('\n') ? Promise.resolve({ status: 400 }) : receive(message),
    },
    caughtBy: ['body-written-otherwise'],
  },
  {
    does: 'refuses sixteen extensions',
    breakage: refusing(quotes((about) => extensionsIn(about) === 16)),
    caughtBy: ['body-extensions'],
  },
  {
    does: 'accepts seventeen extensions',
    breakage: acceptingRefused(quotes((about) => extensionsIn(about) === 17)),
    caughtBy: ['body-extensions-too-many'],
  },
  {
    does: 'accepts a body that is no JSON',
    breakage: acceptingRefused(quotes(({ json }) => json['quoteId'] === undefined)),
    caughtBy: ['body-no-json', 'body-hostile'],
  },
  {
    does: 'accepts a body without a mandatory member',
    breakage: acceptingRefused(
      quotes(({ json }) => json['quoteId'] !== undefined && json['amount'] === undefined),
    ),
    caughtBy: ['body-missing-member'],
  },
  {
    does: 'accepts a number in place of a text',
    breakage: acceptingRefused(
      quotes(
        ({ json }) =>
          typeof (json['amount'] as { amount?: unknown } | undefined)?.amount === 'number',
      ),
    ),
    caughtBy: ['body-wrong-values'],
  },
  {
    does: 'accepts what is not UTF-8',
    breakage: {
      incoming: (message, receive) =>
        isUtf8(message.body) ? receive(message) : Promise.resolve({ status: 202 }),
    },
    caughtBy: ['body-hostile'],
  },
  {
    does: 'accepts bodies of any size',
    breakage: { acknowledgesFrom_bytes: 5_242_880 },
    caughtBy: ['body-too-large'],
  },
  {
    does: 'refuses headers of more than 16 KiB',
    breakage: {
      incoming: (message, receive) =>
        String(message.headers['x-forwarded-for']).length > 16_384
          ? Promise.resolve({ status: 400 })
          : receive(message),
    },
    caughtBy: ['header-large'],
  },
  {
    does: 'remembers the id of a request that it refused',
    breakage: rememberingRefused(),
    caughtBy: ['body-nothing-remembered'],
  },
]

function rememberingRefused(): Breakage {
  const refused = new Set<unknown>()
  return {
    async incoming(message, receive) {
      const id = jsonOf(message.body)['quoteId']
      if (id !== undefined && refused.has(id)) return { status: 202 }
      const answer = await receive(message)
      if (answer.status === 400) refused.add(id)
      return answer
    },
  }
}

/** What a signature protects differently than the message has it. */
const forged = (name: string, differs: (value: string, about: About) => boolean) =>
  quotes((about) => {
    const text = String(about.headers['fspiop-signature'])
    if (!text.startsWith('{')) return false
    const { protectedHeader } = JSON.parse(text) as { protectedHeader: string }
    const values = JSON.parse(Buffer.from(protectedHeader, 'base64url').toString()) as Record<
      string,
      string
    >
    return differs(values[name] ?? '', about)
  })

const signed: readonly Broken[] = [
  {
    does: 'does not sign its messages',
    breakage: sending(isTerms, (message) => {
      const { 'fspiop-signature': _left, ...headers } = message.headers
      return { ...message, headers }
    }),
    caughtBy: ['signature-made'],
  },
  {
    does: 'accepts a message without a signature',
    breakage: acceptingRefused(quotes(isWithout('fspiop-signature'))),
    caughtBy: ['signature-missing'],
  },
  {
    does: 'accepts a signature that it cannot read',
    breakage: acceptingRefused(quotes(header('fspiop-signature', /^c2ln/))),
    caughtBy: ['signature-unreadable'],
  },
  {
    does: 'accepts a signature for another URI',
    breakage: acceptingRefused(forged('FSPIOP-URI', (uri) => uri !== '/quotes')),
    caughtBy: ['signature-other-uri'],
  },
  {
    does: 'accepts a signature for another method',
    breakage: acceptingRefused(forged('FSPIOP-HTTP-Method', (method) => method !== 'POST')),
    caughtBy: ['signature-other-method'],
  },
  {
    does: 'accepts a signature for another source',
    breakage: acceptingRefused(forged('FSPIOP-Source', (source) => source !== 'certifier')),
    caughtBy: ['signature-other-source'],
  },
  {
    does: 'accepts a signature for another destination',
    breakage: acceptingRefused(forged('FSPIOP-Destination', (fsp) => fsp !== 'examinee')),
    caughtBy: ['signature-other-destination'],
  },
  {
    does: 'accepts a signature for another Date',
    breakage: acceptingRefused(forged('Date', (date, { headers }) => date !== headers['date'])),
    caughtBy: ['signature-other-date'],
  },
  {
    does: 'verifies no signature',
    breakage: answering(
      quotes(() => true),
      (answer) => (answer.error?.errorCode === '3105' ? { status: 202 } : answer),
    ),
    caughtBy: [
      'signature-missing',
      'signature-unreadable',
      'signature-other-key',
      'signature-other-body',
      'signature-other-uri',
      'signature-other-method',
      'signature-other-source',
      'signature-other-destination',
      'signature-other-date',
      'encryption-unprotected',
    ],
  },
  {
    does: 'reads no encrypted fields',
    breakage: refusing(
      of('POST', /^\/quotes$/, (about) => about.headers['fspiop-encryption'] !== undefined),
    ),
    caughtBy: ['encryption-read', 'encryption-unprotected'],
  },
  {
    does: 'accepts a message whose encrypted field was changed',
    breakage: answering(
      quotes(({ headers, json }) => 'fspiop-encryption' in headers && json['note'] !== undefined),
      (answer) => (answer.error?.errorCode === '3105' ? answer : { status: 202 }),
    ),
    caughtBy: ['encryption-changed'],
  },
  {
    does: 'accepts a message without a field that was encrypted',
    breakage: acceptingRefused(
      quotes(({ headers, json }) => 'fspiop-encryption' in headers && json['note'] === undefined),
    ),
    caughtBy: ['encryption-field-missing'],
  },
  {
    does: 'accepts an encryption header that its signature does not protect',
    breakage: answering(
      quotes(({ headers }) => 'fspiop-encryption' in headers),
      (answer) => (answer.error?.errorCode === '3105' ? { status: 202 } : answer),
    ),
    caughtBy: ['encryption-unprotected'],
  },
  {
    does: 'encrypts what nobody can decrypt',
    breakage: writing(of('PUT', /^\/parties\/[^/]+\/[^/]+$/), ({ party, ...json }) => ({
      ...json,
      party: { ...(party as object), name: 'QUJD' },
    })),
    caughtBy: ['encryption-made'],
  },
].map((each) => ({ ...each, signs: true }))

export const brokenServers: readonly Broken[] = [...servers, ...signed]
