import * as authService from '@causeway/auth-service'
import { signedContentOf, type AuditPayload } from '@causeway/events'
import { makeComponentKey, type TestComponentKey } from '@causeway/component-keys/testing'
import { statement } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { everything, openWorld, type World } from '../testing/world.ts'

let world: World
let quoting: TestComponentKey
let settlements: TestComponentKey

beforeAll(async () => {
  world = await openWorld(authService, { AUDIT_HOLD_S: '3', AUDIT_UNSIGNED_H: '0' })
  quoting = await makeComponentKey()
  settlements = await makeComponentKey()
  await world.register('quoting', quoting)
  await world.register('settlements', settlements)
})

afterAll(async () => {
  await world.stop()
  quoting.remove()
  settlements.remove()
})

/** The record of a decision has another id, and names this one. */
async function recordsOf(id: string) {
  const all = await world.entries()
  return all.filter(({ entryJson }) => (JSON.parse(entryJson) as { readonly id: string }).id === id)
}

const recorded = (id: string) =>
  eventually(async () => (await recordsOf(id))[0], `entry ${id} is on record`)

const quarantined = (id: string) =>
  eventually(async () => {
    const { entries } = await world.quarantine.ListQuarantinedEntries({ limit: 100 })
    return entries.find((entry) => entry.id === id)
  }, `entry ${id} is quarantined`)

async function expectNotRecorded(id: string): Promise<void> {
  expect(await recordsOf(id)).toEqual([])
}

describe('the source of an entry', () => {
  test('An entry that its source signed is recorded with the id of the key', async () => {
    const id = await world.publish('quoting', quoting)
    const { entryJson, provenance } = await recorded(id)
    expect(provenance).toBe('SIGNED')
    expect(JSON.parse(entryJson)).toMatchObject({ sourceKeyId: quoting.key.id })
  })

  test('An entry of a service that never had a key is recorded as unsigned', async () => {
    const id = await world.publish('notifications', undefined)
    expect(await recorded(id)).toMatchObject({ provenance: 'UNSIGNED' })
  })

  test('An entry in the name of another service is quarantined', async () => {
    const id = await world.publish('settlements', quoting)
    expect(await quarantined(id)).toMatchObject({ source: 'settlements', reason: 'KEY_OF_ANOTHER' })
    await expectNotRecorded(id)
  })

  test('An unsigned entry of a service that has a key is quarantined', async () => {
    const id = await world.publish('quoting', undefined)
    expect(await quarantined(id)).toMatchObject({ reason: 'UNSIGNED' })
    await expectNotRecorded(id)
  })

  test('A forged entry does not keep out the true one with the same id', async () => {
    const id = await world.publish('quoting', settlements)
    await quarantined(id)
    await world.publish('quoting', quoting, { id })
    expect(await recorded(id)).toMatchObject({ provenance: 'SIGNED' })
  })
})

describe('an unknown key', () => {
  test('An entry waits for the registration of its key, and is then recorded', async () => {
    const scheduler = await makeComponentKey()
    const id = await world.publish('scheduler', scheduler)
    await eventually(async () => {
      const { held } = await world.quarantine.ListQuarantinedEntries({ limit: 1 })
      return held > 0 ? true : undefined
    }, 'the entry is held')
    await world.register('scheduler', scheduler)
    expect(await recorded(id)).toMatchObject({ provenance: 'SIGNED' })
    scheduler.remove()
  })

  test('An entry whose key is not registered in time is quarantined', async () => {
    const stranger = await makeComponentKey()
    const id = await world.publish('quoting', stranger)
    expect(await quarantined(id)).toMatchObject({ reason: 'KEY_UNKNOWN' })
    await expectNotRecorded(id)
    stranger.remove()
  })
})

describe('the decision of an operator', () => {
  const decide = (contentHash: string, release: boolean) =>
    world.quarantine.DecideQuarantinedEntry({ contentHash, release, actor: 'grace', note: 'seen' })

  test('A released entry is recorded as released, once, and the release is audited', async () => {
    const id = await world.publish('quoting', undefined)
    const { contentHash } = await quarantined(id)
    expect(await decide(contentHash, true)).toEqual({ isKnown: true })
    expect(await recorded(id)).toMatchObject({ provenance: 'RELEASED' })
    expect(await decide(contentHash, true)).toEqual({ isKnown: false })
    const audited = await eventually(async () => {
      const all = (await world.entries()).map(({ entryJson }) => JSON.parse(entryJson) as Audited)
      return all.find(({ actionType }) => actionType === 'ReleaseQuarantinedEntry')
    }, 'the release is on record')
    expect(audited).toMatchObject({ securityContext: { userId: 'grace' } })
  })

  test('A discarded entry is in neither the log nor the quarantine', async () => {
    const id = await world.publish('quoting', undefined)
    const { contentHash } = await quarantined(id)
    expect(await decide(contentHash, false)).toEqual({ isKnown: true })
    const { entries } = await world.quarantine.ListQuarantinedEntries({ limit: 100 })
    expect(entries.filter((entry) => entry.id === id)).toEqual([])
    await expectNotRecorded(id)
  })
})

interface Audited {
  readonly actionType: string
}

describe('confidential members', () => {
  const secret = 'treasury@greenbank.example'

  test('Confidential members are encrypted in the log, and decrypted for an audited call', async () => {
    const id = await world.publish('quoting', quoting, {
      after: { address: secret, state: 'ACTIVE' },
      labels: { address: secret, requestId: 'r-1' },
      confidential: ['address'],
    })
    const { entryJson } = await recorded(id)
    expect(entryJson).not.toContain(secret)
    expect(JSON.parse(entryJson)).toMatchObject({
      after: { address: { encryptionKeyId: 'AUDIT_SECRETS_KEY' }, state: 'ACTIVE' },
      labels: [{ key: 'address', encryptionKeyId: 'AUDIT_SECRETS_KEY' }, { key: 'requestId' }],
    })
    const query = { ...everything, source: 'quoting' }
    const read = await world.audit.ReadConfidentialEntries({ query, actor: 'grace' })
    const own = read.entries.find((entry) => entry.entryJson.includes(id))
    const entry = JSON.parse(own?.entryJson ?? '') as AuditPayload
    expect(entry).toMatchObject({
      after: { address: secret, state: 'ACTIVE' },
      labels: [
        { key: 'address', value: secret },
        { key: 'requestId', value: 'r-1' },
      ],
    })
    // What is decrypted is what the source signed.
    const signature = Buffer.from(entry.sourceSignature ?? '', 'base64url')
    expect(quoting.verifies(signedContentOf(entry), signature)).toBe(true)
    await eventually(async () => {
      const all = await world.entries()
      return all.find((each) => each.entryJson.includes('ReadConfidentialEntries'))
    }, 'the call is on record')
  })

  test('An entry in quarantine is encrypted as a whole', async () => {
    const id = await world.publish('quoting', undefined, { labels: { address: secret } })
    await quarantined(id)
    const db = await world.parts.openDatabase({
      url: '',
      schema: 'audit',
      migrations: new URL('../../migrations/', import.meta.url),
      connections_max: 1,
    })
    const [row] = await db.query<{ readonly content: Buffer }>(
      statement('select content from unattributed where id = $1'),
      [id],
    )
    await db.close()
    expect(row?.content.toString('latin1')).not.toContain(secret)
  })
})
