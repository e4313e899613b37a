/** Packets, paths, queries, keys and encrypted fields that are almost valid: read or refused, and nothing throws. */
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { changedBytes, changedJson, changedText } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { challengeReadings } from './challenge.ts'
import { readTransaction, writeTransaction } from './ilp-transaction.ts'
import { decodePacket, encodePacket, fulfils, isCondition } from './ilp.ts'
import { decryptFields, encryptFields } from './signatures/jwe.ts'
import { readPublicKey } from './signatures/jws-key.ts'
import { readAuthorizationsQuery } from './resources/authorizations.ts'
import { readParticipantsQuery } from './resources/participants.ts'
import { readPartiesQuery } from './resources/parties.ts'
import { matchPath, routes } from './routes.ts'
import {
  condition,
  ilpPacket,
  payeeInfo,
  payerInfo,
  transactionType,
  usd,
  uuid,
} from './testing/messages.ts'

const numRuns = 500

test('A packet is read as what is written again, or not at all', () => {
  const bytes = Buffer.from(ilpPacket, 'base64url')
  const packets = fc.oneof(
    changedText([ilpPacket]),
    changedBytes([bytes]).map((changed) => changed.toString('base64url')),
  )
  fc.assert(
    fc.property(packets, (text) => {
      const packet = decodePacket(text)
      if (packet === undefined) return
      const again = encodePacket(packet)
      if (again !== undefined) expect(decodePacket(again)).toEqual(packet)
    }),
    { numRuns },
  )
})

test('The transaction of a packet is read, or refused with a code', () => {
  const agreed = {
    transactionId: uuid,
    quoteId: uuid,
    payee: { partyIdInfo: payeeInfo },
    payer: { partyIdInfo: payerInfo },
    amount: usd('99'),
    transactionType,
  }
  const plain = writeTransaction(agreed as Parameters<typeof writeTransaction>[0])
  const data = fc.oneof(
    changedBytes([plain, Buffer.from(plain.toString('base64url'))]),
    changedJson(agreed).map((json) => Buffer.from(JSON.stringify(json))),
  )
  fc.assert(
    fc.property(data, (bytes) => {
      const reading = readTransaction(bytes)
      if (!reading.ok) expect(['3100', '3101', '3102', '3103']).toContain(reading.code)
    }),
    { numRuns },
  )
})

test('A condition is 32 bytes, and only its own fulfilment fulfils it', () => {
  fc.assert(
    fc.property(changedText([condition]), changedText([condition]), (one, other) => {
      if (isCondition(one)) expect(Buffer.from(one, 'base64url')).toHaveLength(32)
      expect(fulfils(one, other)).toBe(false)
    }),
    { numRuns },
  )
})

test('A path is one of the routes, with decoded parameters, or has a fault', () => {
  const paths = routes.map(({ template }) =>
    template
      .replace('{Type}', 'ALIAS')
      .replace('{ID}', uuid)
      .replace('{SubId}', 'home%20one')
      .replace('{ServiceType}', 'PISP'),
  )
  fc.assert(
    fc.property(
      fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'BREW'),
      changedText(paths),
      (method, path) => {
        const match = matchPath(method, path)
        if (match.kind !== 'ROUTE') return
        if (match.fault !== undefined) return
        for (const value of Object.values(match.parameters)) {
          expect(value).not.toMatch(/[\0\p{Surrogate}]/u)
          expect(['.', '..', '']).not.toContain(value)
        }
      },
    ),
    { numRuns },
  )
})

test('A query is read, or refused with a code', () => {
  const query = 'authenticationType=OTP&retriesLeft=2&amount=102&currency=USD'
  fc.assert(
    fc.property(changedText([query, 'currency=USD']), (text) => {
      const readings = [
        readAuthorizationsQuery(text),
        readParticipantsQuery(text),
        readAuthorizationsQuery(text, 'mojaloop'),
      ]
      for (const reading of readings) {
        if (!reading.ok) expect(['3100', '3101', '3102']).toContain(reading.code)
      }
      expect(readPartiesQuery(text).currency ?? 'USD').toMatch(/^[A-Z]{3}$/)
    }),
    { numRuns },
  )
})

test('A public key is read, or refused with a reason', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = String(publicKey.export({ type: 'spki', format: 'pem' }))
  const jwk = publicKey.export({ format: 'jwk' })
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
  const ecPem = String(ec.export({ type: 'spki', format: 'pem' }))
  const source = fc.oneof(
    changedText([pem, ecPem, JSON.stringify(jwk)]),
    changedJson(jwk).filter((json): json is object => typeof json === 'object' && json !== null),
  )
  await fc.assert(
    fc.asyncProperty(source, fc.constantFrom('sig' as const, 'enc' as const), async (text, use) => {
      const read = await readPublicKey(text, use)
      if ('fault' in read) expect(read.fault.length).toBeLessThan(200)
      else expect(read.thumbprint).toHaveLength(43)
    }),
    { numRuns: 300 },
  )
})

test('Encrypted fields are decrypted as they were, or refused with a code', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const body = { payer: { personalInfo: { complexName: { firstName: 'Ana' } } }, note: 'n' }
  const encryption = encryptFields(
    body,
    ['payer.personalInfo', 'note'],
    createPublicKey(privateKey),
    {
      zip: 'DEF',
    },
  )
  if (!encryption.ok) throw new Error(encryption.detail)
  const { header, body: encrypted } = encryption
  fc.assert(
    fc.property(
      fc.oneof(fc.constant(header), changedText([header])),
      changedJson(encrypted),
      (text, json) => {
        if (typeof json !== 'object' || json === null) return
        const decryption = decryptFields(text, json, privateKey)
        if (!decryption.ok)
          expect(['3100', '3101', '3102', '3103', '3104', '3106']).toContain(decryption.code)
      },
    ),
    { numRuns: 300 },
  )
})

test('A challenge has at most three readings', () => {
  const digest = Buffer.alloc(32, 7)
  const examples = [digest.toString('hex'), digest.toString('base64'), digest.toString('base64url')]
  fc.assert(
    fc.property(changedText(examples), (text) => {
      const readings = challengeReadings(text).length
      expect(readings).toBeGreaterThanOrEqual(1)
      expect(readings).toBeLessThanOrEqual(3)
    }),
    { numRuns },
  )
})
