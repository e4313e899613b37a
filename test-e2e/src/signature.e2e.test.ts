/**
 * Signatures over whole messages: valid ones of every signer verify, and none does after one
 * changed byte.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readPublicKey, readSignature, verifySignature } from '@causeway/fspiop'
import { FlattenedSign } from 'jose'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { registerKey, signer, type SigningKey } from './operator/credentials.ts'
import type { Fsp, Sign } from './fsp/fsp.ts'
import { shareSafeScheme, type Scheme } from './hub/scheme.ts'
import { about, errorOf, newTransfer } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp
let key: SigningKey

beforeAll(async () => {
  scheme = await shareSafeScheme()
  payer = await scheme.join('greenbank-signature')
  payee = await scheme.join('bluewallet-signature')
  key = await registerKey(scheme.operator, 'greenbank-signature')
})

afterAll(() => scheme.stop())

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

/** The protected header of a message, as a client would write it. */
function protectedHeader(path: string, headers: Readonly<Record<string, string>>) {
  return {
    alg: 'RS256',
    'FSPIOP-URI': path,
    'FSPIOP-HTTP-Method': 'POST',
    'FSPIOP-Source': headers['fspiop-source'] ?? '',
    'FSPIOP-Destination': headers['fspiop-destination'] ?? '',
    Date: headers['date'] ?? '',
  }
}

const byJose: Sign = async ({ path, headers, body }) => {
  const jws = await new FlattenedSign(body)
    .setProtectedHeader(protectedHeader(path, headers))
    .sign(key.key)
  return JSON.stringify({ signature: jws.signature, protectedHeader: jws.protected })
}

const byOpenssl: Sign = ({ path, headers, body }) => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-sign-'))
  try {
    const keyFile = join(folder, 'key.pem')
    writeFileSync(keyFile, key.key.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
    const header = Buffer.from(JSON.stringify(protectedHeader(path, headers))).toString('base64url')
    const input = `${header}.${body.toString('base64url')}`
    const signature = execFileSync('openssl', ['dgst', '-sha256', '-sign', keyFile], { input })
    return Promise.resolve(
      JSON.stringify({ signature: signature.toString('base64url'), protectedHeader: header }),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const awkward: readonly (readonly [string, (body: string) => string])[] = [
  ['plain', (body) => body],
  ['Unicode', (body) => body.replace('{', '{"näme":"Zoë \u{1f600} မြန်မာ",')],
  ['escapes', (body) => body.replace('{', '{"e":"\\u00fc\\/\\n\\t",')],
  ['another order and blanks', (body) => body.replaceAll(',', ' ,\r\n  ')],
  ['large numbers', (body) => body.replace('{', '{"n":1e400,"m":12345678901234567890.10,')],
]

/** The first byte, the last one, and some between. */
function positions(length: number): readonly number[] {
  return [0, 1, 0.2, 0.4, 0.6, 0.8].map((part) => Math.floor(part * (length - 1)))
}

describe.each([
  ['jose', byJose],
  ['openssl', byOpenssl],
] as const)('a message signed by %s', (_maker, sign) => {
  test.each(awkward)(
    'A signed message with %s in its body verifies and arrives unchanged',
    async (_title, write) => {
      payer.signWith(sign)
      const transfer = newTransfer(payer, payee)
      const body = write(JSON.stringify(transfer.request))
      const { status, body: refusal } = await payer.send('POST', '/transfers', body, to(payee))
      expect([status, refusal]).toEqual([202, ''])
      const relayed = await payee.await(
        ({ method, body: bytes }) =>
          method === 'POST' && bytes.toString().includes(transfer.transferId),
      )
      expect(relayed.body.toString()).toBe(body)
    },
  )

  test.each(awkward)(
    'A signed message with %s in its body does not verify after one flipped bit in a byte',
    async (_title, write) => {
      const transfer = newTransfer(payer, payee)
      const body = Buffer.from(write(JSON.stringify(transfer.request)))
      let made: string | undefined
      payer.signWith(async (message) => (made ??= await sign({ ...message, body })))
      // Signed once: the message that is sent afterwards has the date that was signed.
      const headers = { ...to(payee), date: new Date().toUTCString() }
      for (const at of positions(body.length)) {
        const flipped = Buffer.from(body)
        flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at)
        const answer = await payer.send('POST', '/transfers', flipped, headers)
        expect([at, answer.status, answer.body]).toEqual([at, 400, expect.stringContaining('3105')])
      }
      const whole = await payer.send('POST', '/transfers', body, headers)
      expect(whole.status).toBe(202)
    },
  )
})

test.each([
  ['the body', (body: string) => body.replace('"10"', '"19"')],
  ['a blank in the body', (body: string) => body.replace(',', ', ')],
])('A change of %s after signing is refused with 400 and 3105', async (_title, change) => {
  const transfer = newTransfer(payer, payee)
  const body = JSON.stringify(transfer.request)
  payer.signWith((message) => signer(key)({ ...message, body: Buffer.from(body) }))
  const answer = await payer.send('POST', '/transfers', change(body), to(payee))
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.body)).toMatchObject({ errorInformation: { errorCode: '3105' } })
})

test('A missing signature, and the signature of another FSP, are refused with 400 and 3105', async () => {
  const transfer = newTransfer(payer, payee)
  const headers = { ...to(payee), 'fspiop-signature': undefined }
  const unsigned = await payer.send('POST', '/transfers', transfer.request, headers)
  const foreign = await registerKey(scheme.operator, 'bluewallet-signature')
  payer.signWith(signer(foreign))
  const wrong = await payer.send('POST', '/transfers', transfer.request, to(payee))
  for (const { status, body } of [unsigned, wrong]) {
    expect(status).toBe(400)
    expect(JSON.parse(body)).toMatchObject({ errorInformation: { errorCode: '3105' } })
  }
})

test("The hub signs its own callbacks: an error callback verifies with the hub's published key", async () => {
  payer.signWith(signer(key))
  const transfer = newTransfer(payer, payee, { amount: '99999' })
  await payer.send('POST', '/transfers', transfer.request, to(payee))
  const callback = await payer.await(about(transfer.transferId, 'PUT', true))
  expect(errorOf(callback).errorCode).toBe('4001')
  const { body } = await payer.send('GET', '/.well-known/jwks.json')
  const [published] = (JSON.parse(body) as { keys: object[] }).keys
  const read = await readPublicKey(published ?? {}, 'sig')
  if ('fault' in read) throw new Error(read.fault)
  const parsed = readSignature(String(callback.headers['fspiop-signature']))
  if ('code' in parsed) throw new Error(parsed.detail)
  const known = { kid: read.kid, key: read.key, validFrom: undefined, validTo: undefined }
  const { headers, path: target } = callback
  const message = { method: 'PUT', target, headers, body: callback.body }
  expect(verifySignature(parsed, message, [known], { now: new Date() })).toBeUndefined()
  expect(headers['fspiop-source']).toBe('Hub')
})
