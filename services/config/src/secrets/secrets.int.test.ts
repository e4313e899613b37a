import { randomUUID } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import { wordOf } from '@causeway/approvals/testing'
import * as authService from '@causeway/auth-service'
import { openSeal } from '@causeway/keys/provider'
import { statement } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { openSealing } from './sealing.ts'
import {
  newSecretsKey,
  openWorld,
  secretsChange,
  type SecretsByName,
  type SecretsWorld,
} from './testing/world.ts'

const firstKey = newSecretsKey()

let world: SecretsWorld

beforeEach(async () => {
  world = await openWorld(authService, firstKey)
  await world.register('pricing', 'TOKEN', 'PASSWORD')
})

afterEach(() => world.stop())

function ownDatabase() {
  return world.parts.openDatabase({
    url: '',
    ...schemaOf('config'),
    connections_max: 1,
  })
}

async function readOwn(signer: 'pricing' | 'reports' = 'pricing') {
  const { values, refusal } = await world.read(signer, world.signed(signer))
  if (!values) throw new Error(`${refusal?.reason}: ${refusal?.detail}`)
  return Object.fromEntries(values.secrets.map(({ name, value }) => [name, value]))
}

describe('setting', () => {
  test('A secret is set when another person approves, and shown as set without its value', async () => {
    const requestId = await world.request('pricing', { token: 'hidden-value' })
    expect(await readOwn()).toEqual({})
    expect(wordOf(await world.decide(requestId))).toBe('APPROVED')
    expect(await readOwn()).toEqual({ TOKEN: 'hidden-value' })
    const { secrets } = await world.secrets.ListSecrets({})
    expect(secrets).toMatchObject([
      {
        boundedContextId: 'pricing',
        iterationNumber: 1,
        keys: [
          { name: 'PASSWORD', isSet: false },
          { name: 'TOKEN', isSet: true, changedBy: 'ada' },
        ],
      },
    ])
  })

  test('A value whose name a newer version has not is audited by name, and announced as a change', async () => {
    await world.set('pricing', { TOKEN: 'hidden-value' })
    const keys = [{ name: 'PASSWORD', description: '', required: false, isSet: false }]
    const newer = { boundedContextId: 'pricing', version: '1.1.0', iterationNumber: 0, keys }
    expect((await world.secrets.RegisterSecrets(newer)).secrets?.iterationNumber).toBe(2)
    await eventually(() => world.changed.length === 2, 'the event')
    expect(world.changed[1]).toEqual({
      boundedContextId: 'pricing',
      version: 2,
      changedKeys: ['TOKEN'],
    })
    const entry = await eventually(
      () => world.audited.filter(({ actionType }) => actionType === 'RegisterSecrets')[1],
      'the audit entry',
    )
    expect(entry.before).toMatchObject({ droppedValues: ['TOKEN'] })
    expect(JSON.stringify(entry)).not.toContain('hidden-value')
  })

  test('A change is announced with the names alone', async () => {
    await world.set('pricing', { TOKEN: 'hidden-value' })
    await eventually(() => world.changed.length === 1, 'the event')
    expect(world.changed).toEqual([
      { boundedContextId: 'pricing', version: 1, changedKeys: ['TOKEN'] },
    ])
  })

  test('Each step and each read is audited, and no entry has a value', async () => {
    await world.set('pricing', { token: 'hidden-value' })
    await readOwn()
    await world.read('pricing', world.signed('reports', 'pricing'))
    await eventually(() => world.audited.length === 5, 'the entries')
    const entries = world.audited.map(({ actionType, securityContext, actionSuccessful }) => [
      actionType,
      securityContext.userId,
      actionSuccessful,
    ])
    expect(entries).toEqual([
      ['RegisterSecrets', 'pricing', true],
      ['ChangeSecretValues', 'ada', true],
      ['ApproveSecretValues', 'grace', true],
      ['ReadSecretValues', 'pricing', true],
      ['ReadSecretValues', 'reports', false],
    ])
    const after = { request: 'APPROVED', set: ['TOKEN'], removed: [] }
    expect(world.audited[2]?.after).toEqual(after)
    expect(JSON.stringify(world.audited)).not.toContain('hidden-value')
  })

  test('No answer about requests has a value', async () => {
    const kind = 'SecretValues'
    const asked = secretsChange('pricing', { token: 'hidden-value', PASSWORD: null })
    const requestId = randomUUID()
    const first = await world.approvals.request(kind, asked, { requestId })
    expect(JSON.parse(first.approval?.contentJson ?? '')).toEqual({
      boundedContextId: 'pricing',
      set: ['token'],
      removed: ['PASSWORD'],
    })
    expect(await world.approvals.request(kind, asked, { requestId })).toEqual(first)
    const reused = secretsChange('pricing', { token: 'another-value', PASSWORD: null })
    const other = await world.approvals.request(kind, reused, { requestId })
    expect(wordOf(other)).toBe('MODIFIED')
    const list = await world.approvals.pending(kind)
    expect(list).toEqual([first.approval])
    const decided = await world.decide(requestId)
    expect(JSON.stringify([first, other, list, decided])).not.toMatch(/hidden-value|another-value/)
  })

  test('A decided request is recognized by its names, as its values are deleted', async () => {
    const requestId = await world.request('pricing', { TOKEN: 'hidden-value' })
    const { approval } = await world.decide(requestId)
    const again = secretsChange('pricing', { TOKEN: 'hidden-value' })
    const repeated = await world.approvals.request('SecretValues', again, { requestId })
    expect(repeated.approval).toEqual(approval)
    const others = secretsChange('pricing', { PASSWORD: 'hidden-value' })
    const other = await world.approvals.request('SecretValues', others, { requestId })
    expect(wordOf(other)).toBe('MODIFIED')
  })

  test('A removed secret is not set, and a rejected request leaves the secrets', async () => {
    await world.set('pricing', { TOKEN: 'one', PASSWORD: 'two' })
    await world.set('pricing', { TOKEN: null })
    const requestId = await world.request('pricing', { PASSWORD: 'three' })
    await world.decide(requestId, 'REJECT')
    expect(await readOwn()).toEqual({ PASSWORD: 'two' })
  })

  test.each([
    ['an unknown name', 'pricing', { OTHER: 'hidden-value' }, 'INVALID'],
    ['an empty value', 'pricing', { TOKEN: '' }, 'INVALID'],
    ['a long value', 'pricing', { TOKEN: 'hidden-value'.repeat(1_400) }, 'INVALID'],
    ['no values', 'pricing', {}, 'INVALID'],
    ['an unknown context', 'quoting', { TOKEN: 'v' }, 'CONTEXT_UNKNOWN'],
  ])(
    'A request with %s is refused',
    async (_what, boundedContextId, values: SecretsByName, reason) => {
      const asked = secretsChange(boundedContextId, values)
      const { refusal } = await world.approvals.request('SecretValues', asked)
      expect(refusal?.reason).toBe(reason)
      expect(JSON.stringify(refusal)).not.toContain('hidden-value')
    },
  )

  test('A context has one pending request', async () => {
    await world.request('pricing', { TOKEN: 'v' })
    const second = world.request('pricing', { PASSWORD: 'v' })
    await expect(second).rejects.toThrow('REQUEST_PENDING')
  })
})

describe('reading', () => {
  beforeEach(() => world.set('pricing', { TOKEN: 'hidden-value' }))

  async function reasonFor(boundedContextId: string, request: ReturnType<SecretsWorld['signed']>) {
    const { refusal, values } = await world.read(boundedContextId, request)
    expect(values ?? null).toBeNull()
    return refusal?.reason
  }

  test('A request without a signature is refused', async () => {
    const empty = { signer: '', timestamp: '', nonce: '', signature: '' }
    expect(await reasonFor('pricing', empty)).toBe('SIGNATURE_INVALID')
    const unsigned = { ...world.signed('pricing'), signature: '' }
    expect(await reasonFor('pricing', unsigned)).toBe('SIGNATURE_INVALID')
  })

  test('A request whose signature is altered, or covers other headers, is refused', async () => {
    const good = world.signed('pricing')
    const [header = '', payload = '', signature = ''] = good.signature.split('.')
    const bytes = Buffer.from(signature, 'base64url')
    bytes.writeUInt8(bytes.readUInt8(0) ^ 1)
    const altered = `${header}.${payload}.${bytes.toString('base64url')}`
    for (const request of [
      { ...good, signature: altered },
      { ...good, nonce: 'another-nonce-of-this-request' },
      { ...good, timestamp: new Date(Date.now() + 1_000).toISOString() },
      world.signed('pricing', 'reports'),
    ]) {
      expect(await reasonFor('pricing', request)).toBe('SIGNATURE_INVALID')
    }
    expect((await world.read('pricing', good)).values?.secrets).toHaveLength(1)
  })

  test('A request with the key of another component than it names is refused', async () => {
    const request = { ...world.signed('reports', 'pricing'), signer: 'pricing' }
    expect(await reasonFor('pricing', request)).toBe('SIGNATURE_INVALID')
  })

  test('A valid signature of another component is refused as not the owner', async () => {
    expect(await reasonFor('pricing', world.signed('reports', 'pricing'))).toBe('NOT_OWNER')
  })

  test('The same request is answered once, also over a restart', async () => {
    const request = world.signed('pricing')
    expect((await world.read('pricing', request)).values?.secrets).toHaveLength(1)
    expect(await reasonFor('pricing', request)).toBe('SIGNATURE_INVALID')
    world = await world.restart(firstKey)
    expect(await reasonFor('pricing', request)).toBe('SIGNATURE_INVALID')
  })

  test('Of the same request at the same time one is answered', async () => {
    const request = world.signed('pricing')
    const answers = await Promise.all([1, 2, 3, 4].map(() => world.read('pricing', request)))
    expect(answers.filter(({ values }) => values)).toHaveLength(1)
  })

  test.each([
    ['an old time', -61_000],
    ['a time to come', 61_000],
  ])('A request with %s is refused', async (_what, by_ms) => {
    const at = new Date(Date.now() + by_ms)
    expect(await reasonFor('pricing', world.signed('pricing', 'pricing', at))).toBe(
      'SIGNATURE_INVALID',
    )
  })

  test('A revoked key reads nothing', async () => {
    await readOwn()
    const keyId = world.keys.pricing.key.id
    await world.registry.RevokeComponentKey({ keyId, actor: 'ada' })
    await eventually(
      async () => (await reasonOrNone(world.signed('pricing'))) === 'SIGNATURE_INVALID',
      'the end of the key',
    )
  })

  async function reasonOrNone(request: ReturnType<SecretsWorld['signed']>) {
    return (await world.read('pricing', request)).refusal?.reason
  }

  test('A component that has registered no secrets gets none', async () => {
    expect(await reasonFor('reports', world.signed('reports'))).toBe('CONTEXT_UNKNOWN')
  })
})

describe('what is stored', () => {
  const everything = statement(`
    select coalesce(string_agg(all_rows.text, ' '), '') as text from (
      select encode(sealed, 'escape') as text from secret_values
      union all select approvals::text from approvals
      union all select secret_sets::text from secret_sets) all_rows`)

  test('No table has a value in the clear, also while a request waits', async () => {
    await world.set('pricing', { TOKEN: 'hidden-value' })
    await world.request('pricing', { PASSWORD: 'waiting-value' })
    const db = await ownDatabase()
    const [row] = await db.query<{ readonly text: string }>(everything, [])
    expect(row?.text).toContain('pricing')
    expect(row?.text).not.toMatch(/hidden-value|waiting-value/)
    await db.close()
  })

  test('A value that is moved to the row of another component is not given to it', async () => {
    await world.register('reports', 'TOKEN')
    await world.set('pricing', { TOKEN: 'hidden-value' })
    await world.set('reports', { TOKEN: 'own-value' })
    const db = await ownDatabase()
    const move = statement(`
      update secret_values set sealed = (select sealed from secret_values
        where bounded_context_id = 'pricing') where bounded_context_id = 'reports'`)
    await db.query(move, [])
    await db.close()
    await expect(world.read('reports', world.signed('reports'))).rejects.toThrow(
      'CONFIG_SECRETS_KEY',
    )
  })

  test('A new key is introduced in three starts, after which the old one opens nothing', async () => {
    const nextKey = newSecretsKey()
    await world.set('pricing', { TOKEN: 'hidden-value' })
    const waiting = await world.request('pricing', { PASSWORD: 'two' })
    for (const keys of [`${firstKey},${nextKey}`, `${nextKey},${firstKey}`, nextKey]) {
      world = await world.restart(keys)
    }
    await world.decide(waiting)
    expect(await readOwn()).toEqual({ TOKEN: 'hidden-value', PASSWORD: 'two' })
    const db = await ownDatabase()
    const withOldKey = openSealing(openSeal('CONFIG_SECRETS_KEY', firstKey))
    await expect(withOldKey.reseal(db)).rejects.toThrow('CONFIG_SECRETS_KEY is not the key')
    await db.close()
  })
})
