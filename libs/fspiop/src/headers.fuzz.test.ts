/** Headers that are almost valid are accepted or refused with a code of the API; nothing throws. */
import { changedText } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readEncryptedPaths } from './signatures/encrypted.ts'
import { checkHeaders, furtherHeadersFault, relayHeaders, type Headers } from './headers.ts'
import { readHttpDate, writeHttpDate } from './http-date.ts'
import { readSignature, verifySignature } from './signatures/jws.ts'
import { resourceRules, type Method, type Resource } from './resources.ts'
import { readTrace, signsTrace } from './trace.ts'
import { all, keyOf, now, received, rsa, signed } from './testing/signatures.ts'

/** What Node.js lets into a header. */
const sendable = (text: string) => text.replaceAll(/[^\t -~\u0080-\u00ff]/gu, '')

const media = 'application/vnd.interoperability.transfers+json;version=1.1'
const iso = 'application/vnd.interoperability.iso20022.transfers+json;version=2.0'
const date = 'Tue, 15 Nov 2022 10:14:03 GMT'

const values: Readonly<Record<string, readonly string[]>> = {
  accept: [media, `${media}, ${iso};q=0.5`, '*/*'],
  'content-type': [media, `${media};charset=utf-8`, `${media}; charset="utf-8"`, iso],
  date: [date, 'Tuesday, 15-Nov-22 10:14:03 GMT', 'Tue Nov 15 10:14:03 2022'],
  'fspiop-source': ['payerfsp'],
  'fspiop-destination': ['payeefsp', ''],
  'fspiop-uri': ['/transfers'],
  'fspiop-http-method': ['POST'],
  'x-forwarded-for': ['192.0.2.1, 2001:db8::1'],
  traceparent: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
  tracestate: ['rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'],
  connection: ['close, x-private', 'keep-alive'],
  'content-length': ['100'],
}

const valueOf = (name: string) =>
  fc.oneof(
    fc.constantFrom(...(values[name] ?? [])),
    changedText(values[name] ?? []).map(sendable),
    fc.constant(undefined),
  )

const headers: fc.Arbitrary<Headers> = fc
  .record(Object.fromEntries(Object.keys(values).map((name) => [name, valueOf(name)])))
  .map((given) => given as Headers)

const method = fc.constantFrom<Method>('GET', 'POST', 'PUT', 'PATCH', 'DELETE')
const resource = fc.constantFrom(...(Object.keys(resourceRules) as Resource[]))

test('Headers are accepted, or refused with a code and a short text', () => {
  fc.assert(
    fc.property(method, resource, headers, fc.boolean(), (sentBy, of, given, judgesEveryAccept) => {
      const check = checkHeaders(sentBy, of, given, { judgesEveryAccept })
      if (check.accepted) return
      expect(['3001', '3101', '3102']).toContain(check.refusal.code)
      expect(check.refusal.detail.length).toBeLessThan(1_000)
    }),
    { numRuns: 500 },
  )
})

test('What is relayed of accepted headers can be sent, and has no header that ends at the hub', () => {
  const scheme = new Set(['fspiop-scheme'])
  fc.assert(
    fc.property(method, resource, headers, (sentBy, of, given) => {
      if (!checkHeaders(sentBy, of, given).accepted) return
      if (furtherHeadersFault(given, scheme) !== undefined) return
      const relayed = relayHeaders(sentBy, given, { destination: 'payeefsp', scheme })
      for (const [name, value] of Object.entries(relayed)) {
        expect(name).toMatch(/^[a-z][a-z-]*$/)
        expect(sendable(value)).toBe(value)
      }
      expect(relayed).not.toHaveProperty('connection')
      expect(relayed).not.toHaveProperty('x-private')
    }),
    { numRuns: 500 },
  )
})

test('A date that is read is written and read as the same moment', () => {
  fc.assert(
    fc.property(changedText(values['date'] ?? []), (text) => {
      const read = readHttpDate(text)
      if (read === undefined) return
      expect(readHttpDate(writeHttpDate(read))).toEqual(read)
    }),
    { numRuns: 500 },
  )
})

test('Trace headers are read, or there is no trace', () => {
  fc.assert(
    fc.property(headers, (given) => {
      const trace = readTrace(given)
      if (trace === undefined) return
      expect(trace.traceparent).toMatch(/^[\da-f-]{55}$/)
      expect(trace.tracestate?.length ?? 0).toBeLessThanOrEqual(512)
    }),
    { numRuns: 500 },
  )
})

test('A changed signature header is refused with 3105, or says the same as the original', async () => {
  const original = await signed()
  const key = keyOf(rsa.publicKey)
  const message = received()
  fc.assert(
    fc.property(changedText([original]).map(sendable), (header) => {
      signsTrace({ 'fspiop-signature': header })
      const parsed = readSignature(header, all)
      const refusal = 'code' in parsed ? parsed : verifySignature(parsed, message, [key], { now })
      if (refusal !== undefined) {
        expect(refusal.code).toBe('3105')
        expect(refusal.detail.length).toBeLessThan(1_000)
        return
      }
      const same = readSignature(original, all)
      if ('code' in parsed || 'code' in same) throw new Error('a signature was not read')
      expect(parsed.signature).toEqual(same.signature)
      expect(parsed.protectedHeader).toBe(same.protectedHeader)
    }),
    { numRuns: 500 },
  )
})

test('An encryption header lists paths, or is refused with a code', () => {
  const entry = {
    fieldName: 'payer.personalInfo',
    encryptedKey: 'A'.repeat(43),
    protectedHeader: 'eyJhbGciOiJSU0EtT0FFUC0yNTYiLCJlbmMiOiJBMjU2R0NNIn0',
    initializationVector: 'AAAAAAAAAAAAAAAA',
    authenticationTag: 'AAAAAAAAAAAAAAAAAAAAAA',
  }
  const examples = [
    JSON.stringify({ encryptedFields: [entry] }),
    JSON.stringify({ encryptedFields: [entry, { ...entry, fieldName: 'note' }] }),
  ]
  fc.assert(
    fc.property(changedText(examples).map(sendable), (header) => {
      const reading = readEncryptedPaths({ 'fspiop-encryption': header })
      if ('code' in reading) expect(['3101', '3102', '3103', '3104']).toContain(reading.code)
      else for (const path of reading.paths) expect(path.length).toBeGreaterThan(0)
    }),
    { numRuns: 500 },
  )
})
