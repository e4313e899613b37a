/** Certificates, requests and revocation lists that are almost valid: read, or refused with a reason. */
import { X509Certificate } from 'node:crypto'
import { changedBytes, changedText } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { issueClientCertificate, makeCa } from './ca.ts'
import { readCrls } from './crl.ts'
import { makeCsr, readCsr } from './csr.ts'
import { toPem } from './der.ts'
import { readSubject } from './subject.ts'
import { makeCrl } from './testing.ts'

const now = new Date()
const validity = { from: now, to: new Date(now.getTime() + 3_600_000) }
const subject = { commonName: 'greenbank', organization: 'Hub' }
const ca = makeCa({ subject: { commonName: 'CA', organization: 'Hub' }, validity })
const derOf = (pem: string) => Buffer.from(pem.replaceAll(/-----[^-]+-----/g, ''), 'base64')

/** The example with a change in its text, or in its DER. */
const changedPem = (label: string, pem: string) =>
  fc.oneof(
    changedText([pem]),
    changedBytes([derOf(pem)]).map((der) => toPem(label, der)),
  )

const numRuns = 400

test('A changed request for a certificate is refused, or has the key and names of the original', () => {
  const names = { dns: ['fsp.example'], ip: ['192.0.2.1'] }
  const { csr } = makeCsr({ subject, names })
  const original = readCsr(csr)
  if ('fault' in original) throw new Error(original.fault)
  fc.assert(
    fc.property(changedPem('CERTIFICATE REQUEST', csr), (pem) => {
      const read = readCsr(pem)
      if ('fault' in read) {
        expect(read.fault.length).toBeLessThan(200)
        return
      }
      expect(read.key.equals(original.key)).toBe(true)
      expect(read.names).toEqual(original.names)
    }),
    { numRuns },
  )
})

test('The subject of a changed certificate is read, or there is none', () => {
  const { certificate } = issueClientCertificate(ca, { subject, validity })
  fc.assert(
    fc.property(changedPem('CERTIFICATE', certificate), (pem) => {
      const read = readSubject(pem)
      if (read !== undefined) expect(typeof read.commonName).toBe('string')
    }),
    { numRuns },
  )
})

test('A changed revocation list is refused, or revokes what the original revokes', () => {
  const authorities = [new X509Certificate(ca.certificate)]
  const crl = makeCrl(ca, { serials: ['AB', 'CD'], thisUpdate: now, nextUpdate: validity.to })
  const original = readCrls(crl, authorities)
  if ('fault' in original) throw new Error(original.fault)
  const content = fc.oneof(changedPem('X509 CRL', crl), changedBytes([derOf(crl)]))
  fc.assert(
    fc.property(content, (changed) => {
      const read = readCrls(changed, authorities)
      if ('fault' in read) return
      for (const list of read) expect(list).toEqual(original[0])
    }),
    { numRuns },
  )
})
