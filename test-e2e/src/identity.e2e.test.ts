/** The channel, the headers, the key and the body of a message must name the same FSP. */
import { X509Certificate } from 'node:crypto'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { issueClientCertificate, makeCa } from '@causeway/pki'
import { enrol } from './operator/credentials.ts'
import { openFsp, type HubResponse, type Credentials, type Fsp } from './fsp/fsp.ts'
import { shareSafeScheme, type Scheme } from './hub/scheme.ts'
import { newTransfer } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp
let credentials: Credentials
const others: Fsp[] = []

beforeAll(async () => {
  scheme = await shareSafeScheme()
  payer = await scheme.join('greenbank-identity')
  payee = await scheme.join('bluewallet-identity')
  credentials = await enrol(scheme.operator, 'greenbank-identity')
})

afterAll(async () => {
  await Promise.all(others.map((fsp) => fsp.stop()))
  await scheme.stop()
})

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

/** A client that calls itself greenbank, with other credentials. */
async function asGreenbank(changed: Partial<Credentials>): Promise<Fsp> {
  const fsp = await openFsp('greenbank-identity', () => scheme.hub.urls.fsp, {
    ...credentials,
    ...changed,
  })
  others.push(fsp)
  return fsp
}

function codeOf({ status, body }: HubResponse): readonly [number, string] {
  const { errorInformation } = JSON.parse(body) as { errorInformation: { errorCode: string } }
  return [status, errorInformation.errorCode]
}

function stranger() {
  const now = Date.now()
  const validity = { from: new Date(now - 60_000), to: new Date(now + 3_600_000) }
  const subject = { commonName: 'greenbank-identity', organization: undefined }
  const ca = makeCa({ subject: { commonName: 'Another CA', organization: undefined }, validity })
  return issueClientCertificate(ca, { subject, validity })
}

test('A certificate of another CA is refused with 401 and 3000', async () => {
  const fsp = await asGreenbank(stranger())
  const answer = await fsp.send('POST', '/transfers', newTransfer(payer, payee).request, to(payee))
  expect(codeOf(answer)).toEqual([401, '3000'])
})

test('A revoked certificate is refused with 401 and 3000, on an open connection too', async () => {
  const { certificate, key } = await enrol(scheme.operator, 'greenbank-identity')
  const fsp = await asGreenbank({ certificate, key })
  const send = () => fsp.send('POST', '/transfers', newTransfer(payer, payee).request, to(payee))
  expect((await send()).status).toBe(202)
  const path = `/participants/greenbank-identity/certificates/${new X509Certificate(certificate).serialNumber}`
  const revoked = await scheme.operator.call('DELETE', path)
  expect(revoked.status).toBe(200)
  const refused = await eventually(async () => {
    const answer = await send()
    return answer.status === 202 ? undefined : answer
  }, 'the end of the certificate')
  expect(codeOf(refused)).toEqual([401, '3000'])
})

test("Another FSP's certificate is refused with 403 and 3100", async () => {
  const { certificate, key } = await enrol(scheme.operator, 'bluewallet-identity')
  const fsp = await asGreenbank({ certificate, key })
  const answer = await fsp.send('POST', '/transfers', newTransfer(payer, payee).request, to(payee))
  expect(codeOf(answer)).toEqual([403, '3100'])
})

test("Another FSP's signing key is refused with 400 and 3105", async () => {
  const { sign } = await enrol(scheme.operator, 'bluewallet-identity')
  const fsp = await asGreenbank({ sign })
  const answer = await fsp.send('POST', '/transfers', newTransfer(payer, payee).request, to(payee))
  expect(codeOf(answer)).toEqual([400, '3105'])
})

test('Another payer in the body is refused with 400 and 3100', async () => {
  const transfer = newTransfer(payee, payer)
  const answer = await payer.send('POST', '/transfers', transfer.request)
  expect(codeOf(answer)).toEqual([400, '3100'])
})
