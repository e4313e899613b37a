/** Signatures: the FSP makes them, and refuses a message whose signature does not prove it. */
import { readSignature, rsaAlgorithms, verifySignature } from '@causeway/fspiop'
import type { Signing } from '@causeway/fsp'
import { generateKeyPairSync } from 'node:crypto'
import { type Case, NotRun, Unmet } from '../case.ts'
import { newQuote, quoted, route } from '../counterparts/payer.ts'
import { describe, type Kit } from '../kit.ts'
import type { Draft } from '../message.ts'
import { ensure, expectRefusal, need } from '../read.ts'

const role = 'payee' as const

function signingOf({ settings }: Kit): Signing {
  return need(settings.signing, 'the kit has no signing key (--signing-key)')
}

/** POST /quotes with a signature that proves nothing. */
async function expectRefused(kit: Kit, changes: Partial<Draft>): Promise<void> {
  signingOf(kit)
  const draft: Draft = { method: 'POST', path: '/quotes', ...route(kit), body: newQuote(kit) }
  expectRefusal(await kit.send({ ...draft, ...changes }), 400, ['3105'])
}

/** A key that the FSP does not know, for the same algorithm. */
function otherKey({ alg }: Signing) {
  return alg === 'ES256'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    : generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
}

const made: Case = {
  id: 'signature-made',
  title:
    'A message of the FSP is signed with its key, over URI, method, source, destination and body',
  role,
  section: 'Signature 3.1, 3.2',
  async run(kit) {
    const { fspKeys, counterparty } = kit.settings
    if (fspKeys.length === 0) throw new NotRun('no key of the FSP is known (--fsp-keys)')
    const { message } = await quoted(kit)
    const { method, path, query, headers, body } = message
    const header = headers['fspiop-signature']
    if (header === undefined) throw new Unmet('FSPIOP-Signature', describe(message))
    const parsed = readSignature(String(header), [...rsaAlgorithms, 'ES256'])
    if ('code' in parsed) throw new Unmet('a signature that can be read', parsed.detail)
    const target = query === '' ? path : `${path}?${query}`
    const fault = verifySignature(parsed, { method, target, headers, body }, fspKeys, {
      now: new Date(),
    })
    if (fault !== undefined) throw new Unmet('a signature that verifies', fault.detail)
    const destination = parsed.parameters.get('FSPIOP-Destination')
    ensure(
      destination === counterparty,
      `FSPIOP-Destination ${counterparty} in the protected header`,
      String(destination),
    )
  },
}

interface Forgery {
  readonly id: string
  readonly title: string
  readonly changes: (kit: Kit) => Partial<Draft>
}

const forgeries: readonly Forgery[] = [
  {
    id: 'missing',
    title: 'A message without a signature is refused with 400 and 3105',
    changes: () => ({ isUnsigned: true }),
  },
  {
    id: 'unreadable',
    title: 'A signature that is no JSON is refused with 400 and 3105',
    changes: () => ({ headers: { 'fspiop-signature': 'c2lnbmF0dXJl' } }),
  },
  {
    id: 'other-key',
    title: 'A signature of another key is refused with 400 and 3105',
    changes: (kit) => ({ signed: { key: otherKey(signingOf(kit)) } }),
  },
  {
    id: 'other-body',
    title: 'A signature over another body is refused with 400 and 3105',
    changes: (kit) => ({ signedBody: Buffer.from(JSON.stringify(newQuote(kit))) }),
  },
  {
    id: 'other-uri',
    title: 'A signature for another URI is refused with 400 and 3105',
    changes: () => ({ signed: { uri: '/transfers' } }),
  },
  {
    id: 'other-method',
    title: 'A signature for another method is refused with 400 and 3105',
    changes: () => ({ signed: { method: 'PUT' } }),
  },
  {
    id: 'other-source',
    title: 'A signature for another source is refused with 400 and 3105',
    changes: ({ settings }) => ({ signed: { source: settings.stranger } }),
  },
  {
    id: 'other-destination',
    title: 'A signature for another destination is refused with 400 and 3105',
    changes: ({ settings }) => ({ signed: { destination: settings.stranger } }),
  },
  {
    id: 'other-date',
    title: 'A signature for another Date is refused with 400 and 3105',
    changes: () => ({ signed: { date: new Date(Date.now() - 60_000).toUTCString() } }),
  },
]

export const signatures: readonly Case[] = [
  made,
  ...forgeries.map(({ id, title, changes }) => ({
    id: `signature-${id}`,
    title,
    role,
    section: 'Signature 3.3',
    run: (kit: Kit) => expectRefused(kit, changes(kit)),
  })),
]
