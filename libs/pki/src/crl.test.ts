import { expect, test } from '@jest/globals'
import { X509Certificate } from 'node:crypto'
import { issueClientCertificate, makeCa } from './ca.ts'
import { readCrls, type RevocationList } from './crl.ts'
import { makeCrl } from './testing.ts'

const hour_ms = 3_600_000
const now = new Date(Math.floor(Date.now() / 1_000) * 1_000)
const validity = { from: new Date(now.getTime() - hour_ms), to: new Date(now.getTime() + hour_ms) }
const newCa = (commonName: string) =>
  makeCa({ subject: { commonName, organization: 'Scheme' }, validity })
const [ca, other] = [newCa('CA'), newCa('Other CA')]
const authorities = [other, ca].map(({ certificate }) => new X509Certificate(certificate))
const subject = { commonName: 'greenbank', organization: undefined }
const empty = { serials: [], thisUpdate: now, nextUpdate: validity.to }
const certificateOf = (from = ca) =>
  new X509Certificate(issueClientCertificate(from, { subject, validity }).certificate)

function listsOf(content: string): readonly RevocationList[] {
  const lists = readCrls(content, authorities)
  if ('fault' in lists) throw new Error(lists.fault)
  return lists
}

test('A list names the revoked certificates of its authority', () => {
  // Serial numbers are random: some begin with a bit that needs a further byte.
  const revoked = Array.from({ length: 32 }, () => certificateOf())
  const serials = revoked.map(({ serialNumber }) => serialNumber)
  const content = { serials, thisUpdate: now, nextUpdate: validity.to }
  expect(readCrls(makeCrl(ca, content), authorities)).toEqual([
    {
      issuer: revoked[0]?.issuer,
      thisUpdate: now,
      nextUpdate: validity.to,
      serials: new Set(serials),
    },
  ])
})

test('A list of 5,000 certificates is read', () => {
  const serials = Array.from({ length: 5_000 }, (_, at) => (0x100000 + at).toString(16))
  const [list] = listsOf(makeCrl(ca, { ...empty, serials }))
  expect(list?.serials.size).toBe(serials.length)
})

test('A list may be in DER, as authorities publish it, or in PEM', () => {
  const pem = makeCrl(ca, { ...empty, serials: ['AB'] })
  const der = Buffer.from(pem.replaceAll(/-----[^-]+-----/g, ''), 'base64')
  expect(readCrls(der, authorities)).toEqual(readCrls(pem, authorities))
  expect(readCrls(Buffer.from(pem), authorities)).toEqual(readCrls(pem, authorities))
  expect(readCrls(der.subarray(1), authorities)).toEqual({ fault: 'not a valid revocation list' })
})

test('A list may be empty, and a file may hold those of several authorities', () => {
  const [first, second] = [ca, other].map((from) => makeCrl(from, empty))
  const lists = readCrls(`of the first\n${first}\nof the second\n${second}`, authorities)
  expect(lists).toMatchObject([
    { issuer: certificateOf().issuer, serials: new Set() },
    { issuer: certificateOf(other).issuer, serials: new Set() },
  ])
})

test.each([
  ['no list', 'junk', 'not a PEM X509 CRL'],
  ['a broken list', '-----BEGIN X509 CRL-----\nMAA=\n-----END X509 CRL-----', 'not a valid'],
  [
    'a list of an authority that is not trusted',
    makeCrl(newCa('CA'), empty),
    'none of the CAs has signed it',
  ],
  [
    'a list without the time of the next one',
    makeCrl(ca, { serials: ['AB'], thisUpdate: now }),
    'it does not say when the next one is due',
  ],
  [
    'the difference between two lists',
    makeCrl(ca, { ...empty, critical: '2.5.29.27' }),
    'not complete (extension 2.5.29.27)',
  ],
  [
    'a list for some certificates alone',
    makeCrl(ca, { ...empty, critical: '2.5.29.28' }),
    'not complete (extension 2.5.29.28)',
  ],
])('%s is refused', (_what, pem, fault) => {
  expect(readCrls(pem, authorities)).toEqual({ fault: expect.stringContaining(fault) })
})
