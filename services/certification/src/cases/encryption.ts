/** Encrypted fields: read after the signature is verified, refused when they were changed, and made. */
import { decryptFields, encryptFields } from '@causeway/fspiop'
import { type Case, NotRun } from '../case.ts'
import {
  askForQuote,
  customerOf,
  newQuote,
  partyPath,
  type QuoteRequest,
  route,
  termsOf,
} from '../counterparts/payer.ts'
import { describe, type Kit } from '../kit.ts'
import { at, ensure, expectRefusal, is, need } from '../read.ts'

const role = 'payee' as const
const fields = ['payer.name', 'note']

interface Encrypted {
  readonly request: QuoteRequest
  readonly body: object
  readonly header: string
}

function encryptedQuote(kit: Kit): Encrypted {
  const key = need(
    kit.settings.fspEncryptionKey,
    'no encryption key of the FSP is known (--fsp-encryption-key)',
  )
  const request = newQuote(kit, { note: 'Certification' })
  const encrypted = encryptFields(request, fields, key)
  if (!encrypted.ok) throw new Error(encrypted.detail)
  return { request, body: encrypted.body, header: encrypted.header }
}

async function expectRefused(kit: Kit, body: object, header: string): Promise<void> {
  const answer = await kit.send({
    method: 'POST',
    path: '/quotes',
    ...route(kit),
    body,
    headers: { 'fspiop-encryption': header },
  })
  expectRefusal(answer, 400, ['3100', '3101', '3102', '3105'])
}

export const encryption: readonly Case[] = [
  {
    id: 'encryption-read',
    title: 'Encrypted fields are decrypted, and the message is answered',
    role,
    section: 'Encryption 3.3',
    async run(kit) {
      const { request, body, header } = encryptedQuote(kit)
      await askForQuote(kit, request, { body, headers: { 'fspiop-encryption': header } })
      await termsOf(kit, request)
    },
  },
  {
    id: 'encryption-changed',
    title: 'A message whose encrypted field was changed is refused with 400',
    role,
    section: 'Encryption 3.3',
    async run(kit) {
      const { body, header } = encryptedQuote(kit)
      const note = String(at(body, 'note'))
      const other = note.startsWith('A') ? `B${note.slice(1)}` : `A${note.slice(1)}`
      await expectRefused(kit, { ...body, note: other }, header)
    },
  },
  {
    id: 'encryption-field-missing',
    title: 'A message without the field that its header names is refused with 400',
    role,
    section: 'Encryption 3.3',
    async run(kit) {
      const { body, header } = encryptedQuote(kit)
      const { note: _left, ...others } = body as { readonly note: string }
      await expectRefused(kit, others, header)
    },
  },
  {
    id: 'encryption-unprotected',
    title: 'FSPIOP-Encryption must be in the protected header of the signature: else 400 and 3105',
    role,
    section: 'Encryption 3.1, Signature 3.1',
    async run(kit) {
      need(kit.settings.signing, 'the kit has no signing key (--signing-key)')
      const { body, header } = encryptedQuote(kit)
      const answer = await kit.send({
        method: 'POST',
        path: '/quotes',
        ...route(kit),
        body,
        headers: { 'fspiop-encryption': header },
        signed: { encryption: undefined },
      })
      expectRefusal(answer, 400, ['3105'])
    },
  },
  {
    id: 'encryption-made',
    title: 'Fields that the FSP encrypts can be decrypted, and what a hub routes by stays in clear',
    role,
    section: 'Encryption 3.2',
    async run(kit) {
      const key = need(kit.settings.encryptionKey, 'the kit has no key (--encryption-key)')
      const path = partyPath(kit)
      await kit.sendExpecting(202, { method: 'GET', path, ...route(kit) })
      const message = await kit.expect(`PUT ${path}`, is('PUT', path))
      const header = message.headers['fspiop-encryption']
      if (header === undefined) throw new NotRun('the FSP encrypts nothing for the kit')
      const decrypted = decryptFields(String(header), message.json as object, key)
      ensure(decrypted.ok, 'fields that can be decrypted', decrypted.ok ? '' : decrypted.detail)
      const info = at(message.json, 'party', 'partyIdInfo')
      ensure(
        at(info, 'partyIdentifier') === customerOf(kit).id &&
          at(info, 'fspId') === kit.settings.fsp,
        'the identifier and fspId in clear',
        describe(message),
      )
    },
  },
]
