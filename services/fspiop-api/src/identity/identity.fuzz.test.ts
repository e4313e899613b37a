/** What a gateway says about the certificate of an FSP, almost valid: a name, or nothing. */
import { X509Certificate } from 'node:crypto'
import { changedText } from '@causeway/fuzzing'
import { issueClientCertificate, makeCa } from '@causeway/pki'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { forwardedCertificate } from './identity.ts'

const now = Date.now()
const validity = { from: new Date(now - 60_000), to: new Date(now + 3_600_000) }
const ca = makeCa({ subject: { commonName: 'CA', organization: undefined }, validity })
const { certificate } = issueClientCertificate(ca, {
  subject: { commonName: 'greenbank', organization: 'Green Bank' },
  validity,
})
const authorities = [new X509Certificate(ca.certificate)]

test('A forwarded certificate that is changed names the same FSP, or none', () => {
  const header = `Hash=${'ab'.repeat(32)};Cert="${encodeURIComponent(certificate)}"`
  fc.assert(
    fc.property(changedText([header]), (text) => {
      const read = forwardedCertificate(text, authorities)
      if (read?.serial !== undefined) expect(read.name).toBe('greenbank')
    }),
    { numRuns: 300 },
  )
})

test('A forwarded subject that is changed has one name, or none', () => {
  const header = `Hash=${'ab'.repeat(32)};Subject="CN=greenbank,O=Green Bank"`
  fc.assert(
    fc.property(changedText([header]), (text) => {
      const read = forwardedCertificate(text, authorities)
      if (read === undefined) return
      expect(read.name).not.toMatch(/[,"]/)
      expect(read.fingerprint ?? 'ab'.repeat(32)).toMatch(/^[\da-f]{64}$/)
    }),
    { numRuns: 500 },
  )
})
