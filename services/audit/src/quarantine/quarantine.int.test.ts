import { randomUUID } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import * as authService from '@causeway/auth-service'
import type { OutgoingMessage } from '@causeway/bus'
import { signedEntries } from '@causeway/keys/components'
import { auditEntry, signedContentOf, type AuditPayload } from '@causeway/events'
import { makeComponentKey, type TestComponentKey } from '@causeway/keys/components/testing'
import { statement } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { usualBounds } from '../bounds.ts'
import { everything, openWorld, type AuditWorld } from '../testing/world.ts'

let world: AuditWorld
let quoting: TestComponentKey
let settlements: TestComponentKey

beforeAll(async () => {
  world = await openWorld(authService, {}, { ...usualBounds, hold_ms: 3_000, unsigned_ms: 0 })
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

describe('an id that is on record already', () => {
  const at = new Date('2026-03-01T12:00:00Z')

  async function expectTaken(id: string, source: string): Promise<string> {
    const { contentHash, ...entry } = await quarantined(id)
    expect(entry).toMatchObject({ source, reason: 'ID_TAKEN' })
    expect(await recordsOf(id)).toHaveLength(1)
    return contentHash
  }

  test('The same entry again changes nothing, with confidential members too', async () => {
    const entry = {
      actor: 'ada',
      action: 'Act',
      subject: 'a',
      before: null,
      after: { address: 'a@b.example' },
      labels: { address: 'c@d.example' },
      confidential: ['address'],
      at,
    }
    let signed: readonly OutgoingMessage[] = []
    const capture: typeof world.parts.bus.publish = (messages) => {
      signed = messages
      return Promise.resolve()
    }
    const bus = { ...world.parts.bus, publish: capture }
    await signedEntries(bus, { key: quoting.key }).publish([auditEntry('quoting', entry)])
    const [id = ''] = signed.map(({ payload }) => (payload as AuditPayload).id)
    await world.parts.bus.publish([...signed, ...signed])
    await recorded(id)
    await world.parts.bus.publish(signed)
    await world.publish('quoting', quoting, { action: 'Last' })
    await eventually(async () => {
      const all = await world.entries()
      return all.find(({ entryJson }) => entryJson.includes('"Last"'))
    }, 'a later entry is on record')
    expect(await recordsOf(id)).toHaveLength(1)
    const { entries } = await world.quarantine.ListQuarantinedEntries({ limit: 100 })
    expect(entries.filter((one) => one.id === id)).toEqual([])
  })

  test('Another content of the same source is quarantined', async () => {
    const id = await world.publish('quoting', quoting, { at })
    await recorded(id)
    await world.publish('quoting', quoting, { id, at, subject: 'b' })
    await expectTaken(id, 'quoting')
  })

  test('The entry of another source is quarantined', async () => {
    const id = await world.publish('quoting', quoting, { at })
    await recorded(id)
    await world.publish('settlements', settlements, { id, at })
    await expectTaken(id, 'settlements')
  })

  test('Of two entries of one batch with one id the first is recorded, and the other one quarantined', async () => {
    const id = randomUUID()
    const usual = { actor: 'ada', action: 'Act', before: null, after: null, at, id }
    await signedEntries(world.parts.bus, { key: quoting.key }).publish(
      ['first', 'second'].map((subject) => auditEntry('quoting', { ...usual, subject })),
    )
    await expectTaken(id, 'quoting')
    expect((await recordsOf(id))[0]?.entryJson).toContain('"first"')
  })

  test('A released one is on record beside the other, and comes no more into quarantine', async () => {
    const id = await world.publish('quoting', quoting, { at })
    await recorded(id)
    await world.publish('settlements', settlements, { id, at })
    const contentHash = await expectTaken(id, 'settlements')
    const decision = { contentHash, release: true, actor: 'grace', note: '' }
    expect(await world.quarantine.DecideQuarantinedEntry(decision)).toEqual({ isKnown: true })
    const both = await recordsOf(id)
    expect(both.map(({ provenance }) => provenance)).toEqual(['RELEASED', 'SIGNED'])
  })
})

describe('an unknown key', () => {
  test('An entry whose id is on record when its key is registered is quarantined', async () => {
    const config = await makeComponentKey()
    const id = await world.publish('quoting', quoting)
    await recorded(id)
    await world.publish('config', config, { id })
    await world.register('config', config)
    expect(await quarantined(id)).toMatchObject({ source: 'config', reason: 'ID_TAKEN' })
    expect(await recordsOf(id)).toHaveLength(1)
    config.remove()
  })

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
      ...schemaOf('audit'),
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
