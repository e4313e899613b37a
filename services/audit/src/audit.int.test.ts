import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { schemaOf } from '@causeway/runtime'
import * as authService from '@causeway/auth-service'
import { noHsm } from '@causeway/keys/provider'
import { auditEntry, type AuditedAction } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import { statement, type Database } from '@causeway/postgres'
import type { Service } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { auditService, type AuditEntry, type AuditQuery } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { start } from './service.ts'
import { startAuthService } from './testing/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-audit-'))
const keyFile = join(folder, 'signing.key')
const trustedFile = join(folder, 'trusted.pem')
const anyone = {
  AUDIT_DATABASE_URL: '',
  AUDIT_COMPONENT_KEY_FILE: undefined,
  DATABASE_CONNECTIONS_MAX: 4,
  AUDIT_SIGNING_KEY_FILE: keyFile,
  AUDIT_TRUSTED_KEYS_FILE: trustedFile,
  AUDIT_ANCHOR_FILE: undefined,
  AUDIT_ANCHOR_INTERVAL_S: 1,
  AUDIT_ANCHOR_S3_URL: undefined,
  AUDIT_ANCHOR_S3_REGION: '',
  AUDIT_ANCHOR_S3_KEY_ID: undefined,
  AUDIT_ANCHOR_S3_SECRET: undefined,
  AUDIT_ANCHOR_S3_RETENTION_D: 1,
  AUDIT_VERIFY_CRON: '',
  AUDIT_MAIL_TO: undefined,
  HUB_NAME: 'Hub',
  AUDIT_SECRETS_KEY: undefined,
  AUDIT_LOG_RETENTION_D: 30,
  AUDIT_EXPORT_FILE: undefined,
  ...noHsm,
}
const everything: AuditQuery = { limit: 500 }

let parts: TestParts
let service: Service
let auth: Service
let audit: Calls<typeof auditService>
/** Bypasses the service. */
let db: Database

/** The public key, PEM. */
function writeKey(): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return publicKey.export({ type: 'spki', format: 'pem' }).toString()
}

beforeAll(async () => {
  writeFileSync(trustedFile, writeKey())
  await open(await openTestParts())
})

async function open(on: TestParts): Promise<void> {
  parts = on
  auth = await startAuthService(authService, parts)
  service = await start(anyone, parts)
  audit = parts.grpc.client(auditService, 'audit')
  db = await parts.openDatabase({
    url: '',
    ...schemaOf('audit'),
    connections_max: 1,
  })
}

afterAll(async () => {
  await db.close()
  await service.stop()
  await auth.stop()
  await parts.stop()
  rmSync(folder, { recursive: true })
})

function action(changes: Partial<AuditedAction> = {}): AuditedAction {
  return {
    actor: 'ada',
    action: 'UpdateParticipantState',
    subject: 'participants/greenbank',
    before: { isActive: false },
    after: { isActive: true },
    at: new Date('2030-01-02T03:04:05.006Z'),
    ...changes,
  }
}

async function say(...actions: readonly AuditedAction[]): Promise<void> {
  await parts.bus.publish(actions.map((one) => auditEntry('participant-lifecycle', one)))
}

async function list(filter: Partial<AuditQuery> = {}): Promise<readonly AuditEntry[]> {
  return (await audit.ListAuditEntries({ ...everything, ...filter })).entries
}

async function recorded(id: string): Promise<AuditEntry> {
  return eventually(
    async () => (await list()).find(({ entryJson }) => entryJson.includes(`"id":"${id}"`)),
    `entry ${id} on record`,
  )
}

async function verify(limit = 5_000) {
  const faults: string[] = []
  let checked = 0
  for (let afterN = '0'; ;) {
    const report = await audit.VerifyAuditChain({ afterN, limit })
    faults.push(...report.faults)
    checked += Number(report.checked)
    if (report.isEnd) return { checked, faults }
    afterN = report.lastN
  }
}

describe('a published entry', () => {
  test('A published entry is recorded with actor, subject, before and after, signed', async () => {
    const id = randomUUID()
    await say(action({ id, labels: { requestId: 'r-1' } }))
    const { entryJson, signatureValid } = await recorded(id)
    expect(signatureValid).toBe(true)
    expect(JSON.parse(entryJson)).toMatchObject({
      id,
      sourceBcName: 'participant-lifecycle',
      securityContext: { userId: 'ada' },
      actionType: 'UpdateParticipantState',
      subject: 'participants/greenbank',
      before: { isActive: false },
      after: { isActive: true },
    })
  })

  test('An entry is recorded once, however often and in whatever batch it is received', async () => {
    const id = randomUUID()
    const last = randomUUID()
    await say(action({ id }), action({ id }))
    await say(action({ id }), action({ id: last }))
    await recorded(last)
    const all = await list()
    expect(all.filter(({ entryJson }) => entryJson.includes(id))).toHaveLength(1)
  })

  test('An entry can contain text that PostgreSQL cannot store', async () => {
    const id = randomUUID()
    await say(action({ id, actor: 'a\0b', labels: { 'k\0': '\ud800' } }))
    const { entryJson } = await recorded(id)
    expect(JSON.parse(entryJson)).toMatchObject({ securityContext: { userId: 'a\0b' } })
  })
})

test('Entries are found by each filter, the newest first, page by page', async () => {
  const subject = `operators/${randomUUID()}`
  const at = (minute: number) => new Date(Date.UTC(2031, 0, 1, 0, minute))
  const ids = [randomUUID(), randomUUID(), randomUUID()]
  const [first = '', second = '', third = ''] = ids
  await say(
    action({ id: first, subject, at: at(1), actor: 'eve', labels: { requestId: first } }),
    action({ id: second, subject: `${subject}/password`, at: at(2), action: 'ChangePassword' }),
    action({ id: third, subject: `${subject}-other`, at: at(3) }),
  )
  await recorded(third)
  const found = async (filter: Partial<AuditQuery>) =>
    (await list(filter)).map(({ entryJson }) => (JSON.parse(entryJson) as { id: string }).id)
  expect(await found({ subject })).toEqual([second, first])
  expect(await found({ subject, actor: 'eve' })).toEqual([first])
  expect(await found({ subject, action: 'ChangePassword' })).toEqual([second])
  expect(await found({ labelKey: 'requestId', labelValue: first })).toEqual([first])
  expect(await found({ subject, from: at(2).toISOString() })).toEqual([second])
  expect(await found({ subject, to: at(2).toISOString() })).toEqual([first])
  expect(await found({ subject, source: 'quoting' })).toEqual([])
  const [newest] = await list({ subject, limit: 1 })
  expect(await found({ subject, limit: 1, beforeN: newest?.n ?? '' })).toEqual([first])
})

test('Concurrent entries form one chain without gaps or faults, verified in pages of any size', async () => {
  const ids = Array.from({ length: 100 }, () => randomUUID())
  await Promise.all(ids.map((id) => say(action({ id }))))
  await eventually(async () => {
    const known = new Set(
      (await list()).map(({ entryJson }) => (JSON.parse(entryJson) as { id: string }).id),
    )
    return ids.every((id) => known.has(id)) ? true : undefined
  }, 'all entries on record')
  const whole = await verify()
  expect(whole.faults).toEqual([])
  expect(whole.checked).toBeGreaterThanOrEqual(100)
  expect(await verify(7)).toEqual(whole)
})

test('A new key signs later entries, and entries signed by the old key stay valid', async () => {
  writeKey()
  const before = [service, auth]
  const again = await parts.restart()
  await Promise.allSettled(before.map((each) => each.stop()))
  await open(again)
  const id = randomUUID()
  await say(action({ id }))
  expect(await recorded(id)).toMatchObject({ signatureValid: true })
  expect((await verify()).faults).toEqual([])
  expect(new Set((await list()).map(({ kid }) => kid)).size).toBe(2)
})

describe("with the service's own permissions in the database", () => {
  test('A statement that changes or removes an entry is refused', async () => {
    for (const text of [
      `update entries set actor = 'nobody'`,
      'delete from entries',
      'truncate entries',
    ]) {
      await expect(db.query(statement(text), [])).rejects.toThrow(
        'audit entries are only ever added',
      )
    }
  })

  test('Verification detects a changed entry and a removed last entry when the trigger is disabled', async () => {
    await db.query(statement('alter table entries disable trigger entries_stay'), [])
    await db.query(
      statement(`update entries set body = replace(body, '"ada"', '"eve"') where n = 1`),
      [],
    )
    await db.query(statement('delete from entries where n = (select max(n) from entries)'), [])
    const { faults } = await verify()
    expect(faults).toEqual([
      'entry 1 is not what was hashed',
      expect.stringMatching(/^the log ends with entry \d+, and entry \d+ was the last one$/),
    ])
    const oldest = (await list()).find(({ n }) => n === '1')
    expect(oldest).toMatchObject({ signatureValid: false })
  })
})
