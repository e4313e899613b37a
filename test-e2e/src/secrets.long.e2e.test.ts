/**
 * A component of the operator has a secret at the hub: it registers itself, two persons set the value, and
 * the component alone reads it with a signed request. It is written here as its author would write it.
 */
import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { request } from 'undici'
import { answered, personWith, programWith, type Operator } from './operator/operator.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'

const value = 'a-token-of-the-market'

let scheme: Scheme
let maker: Operator
let checker: Operator
let pricing: Component
let reports: Component

beforeAll(async () => {
  scheme = await openSchemeOfFsps()
  const { operator } = scheme.hub.urls
  maker = await personWith(scheme.operator, operator, 'ada', ['maker', 'checker'])
  checker = await personWith(scheme.operator, operator, 'grace', ['checker'])
  const privileges = ['REGISTER_COMPONENT_KEY', 'REGISTER_CONFIGURATION']
  const role = { labelName: 'Component', description: 'Registers itself.', privileges }
  await answered(scheme.operator.call('PUT', '/roles/component', role))
  pricing = await componentNamed('pricing')
  reports = await componentNamed('reports')
})

afterAll(() => scheme.stop())

interface Component {
  readonly name: string
  readonly privateKey: KeyObject
  readonly keyId: string
}

/** With a key and with the names of its secrets. */
async function componentNamed(name: string): Promise<Component> {
  const program = await programWith(scheme.operator, scheme.hub.urls.operator, name, ['component'])
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  const { kid } = await answered<{ readonly kid: string }>(
    program.call('POST', '/component-keys', { boundedContextId: name, publicKey: pem }),
  )
  const keys = [{ name: 'MARKET_TOKEN', description: 'for the market', required: true }]
  await answered(
    program.call('POST', '/config/secrets/', { boundedContextId: name, version: '1.0.0', keys }),
  )
  return { name, privateKey, keyId: kid }
}

interface Signed {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** JWS (RFC 7515): method, path, time and nonce, signed with ES256. */
function signed(by: Component, of: Component, at = new Date()): Signed {
  const path = `/config/secrets/${of.name}/values`
  const [timestamp, nonce] = [at.toISOString(), randomBytes(16).toString('base64url')]
  const encoded = (text: string) => Buffer.from(text).toString('base64url')
  const header = encoded(JSON.stringify({ alg: 'ES256', kid: by.keyId }))
  const content = `${header}.${encoded(['GET', path, timestamp, nonce].join('\n'))}`
  const options = { key: by.privateKey, dsaEncoding: 'ieee-p1363' } as const
  const signature = sign('sha256', Buffer.from(content), options).toString('base64url')
  return {
    path,
    headers: {
      'x-bc-id': by.name,
      'x-timestamp': timestamp,
      'x-nonce': nonce,
      'x-signature': `${content}.${signature}`,
    },
  }
}

async function read({ path, headers }: Signed) {
  const answer = await request(`${scheme.hub.urls.operator}${path}`, { headers })
  return { status: answer.statusCode, text: await answer.body.text() }
}

interface Shown {
  readonly keys: readonly { readonly isSet: boolean; readonly lastChangedBy: string | null }[]
}

test('Two persons set a secret, its component reads it, and no answer to a person shows it', async () => {
  const shown = await answered<{ readonly requestId: string }>(
    maker.call('POST', '/config/secrets/pricing', {
      newValues: [{ name: 'MARKET_TOKEN', value }],
    }),
  )
  const { requestId } = shown
  const pending = await answered(checker.call('GET', '/GetPendingSecretValues'))
  const approval = { requestId, decision: 'APPROVE' }
  expect((await maker.call('POST', '/ApproveSecretValues', approval)).status).toBe(403)
  const approved = await answered(checker.call('POST', '/ApproveSecretValues', approval))

  const answer = await read(signed(pricing, pricing))
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.text)).toMatchObject({
    version: '1.0.0',
    iterationNumber: 1,
    secrets: [{ name: 'MARKET_TOKEN', value }],
  })

  const list = await answered<readonly Shown[]>(checker.call('GET', '/config/secrets/'))
  const one = await answered<Shown>(checker.call('GET', '/config/secrets/pricing'))
  expect(one.keys).toMatchObject([{ isSet: true, lastChangedBy: 'ada' }])
  const audited = await eventually(async () => {
    const { json } = await scheme.operator.call('GET', '/audit?subject=secrets%2Fpricing')
    return JSON.stringify(json).includes('ReadSecretValues') ? json : undefined
  }, 'the audit entry of the read')
  expect(JSON.stringify([shown, pending, approved, list, one, audited])).not.toContain(value)
})

test('A request that is unsigned, altered, old, repeated or of another component gets no value', async () => {
  const good = signed(pricing, pricing)
  const unsigned = { path: good.path, headers: {} }
  const altered = { ...good, headers: { ...good.headers, 'x-nonce': 'n'.repeat(22) } }
  const old = signed(pricing, pricing, new Date(Date.now() - 61_000))
  const answers = [await read(unsigned), await read(altered), await read(old)]
  answers.push(await read(signed(reports, pricing)))
  expect((await read(good)).status).toBe(200)
  answers.push(await read(good))
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 403, 401])
  expect(answers.map(({ text }) => text).join()).not.toContain(value)
})

test('No component registers a key for another one or for a service of the hub', async () => {
  const { operator } = scheme.hub.urls
  const other = await programWith(scheme.operator, operator, 'intruder', ['component'])
  const { publicKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = key.export({ type: 'spki', format: 'pem' })
  for (const boundedContextId of ['pricing', 'notifications']) {
    const answer = await other.call('POST', '/component-keys', { boundedContextId, publicKey })
    expect(answer.status).toBe(403)
  }
})

test('A revoked key reads nothing any more', async () => {
  await answered(scheme.operator.call('DELETE', `/component-keys/${reports.keyId}`))
  await eventually(
    async () => (await read(signed(reports, reports))).status === 401,
    'the end of the key',
  )
})
