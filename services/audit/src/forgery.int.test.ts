import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { schemaOf } from '@causeway/runtime'
import * as authService from '@causeway/auth-service'
import { noHsm } from '@causeway/keys/provider'
import { auditEntry } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import { statement, type Database } from '@causeway/postgres'
import type { Service } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { auditService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { anchorOf } from './anchor.ts'
import { hashOf, origin } from './chain.ts'
import { start } from './service.ts'
import { startAuthService } from './testing/world.ts'
import { openSigner } from './signing.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-audit-forgery-'))
const keyFile = join(folder, 'signing.key')
const anchorFile = join(folder, 'anchors.jsonl')
const values = {
  AUDIT_DATABASE_URL: '',
  AUDIT_COMPONENT_KEY_FILE: undefined,
  DATABASE_CONNECTIONS_MAX: 4,
  AUDIT_SIGNING_KEY_FILE: keyFile,
  AUDIT_TRUSTED_KEYS_FILE: undefined,
  AUDIT_ANCHOR_FILE: anchorFile,
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

let parts: TestParts
let service: Service
let auth: Service
let audit: Calls<typeof auditService>
/** What the service may do in the database, without the service. */
let db: Database

function writeKey(file: string): void {
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
}

beforeEach(async () => {
  writeKey(keyFile)
  rmSync(anchorFile, { force: true })
  await openOn(await openTestParts())
  await run('alter table entries disable trigger entries_stay')
})

async function openOn(on: TestParts): Promise<void> {
  parts = on
  auth = await startAuthService(authService, parts)
  service = await start(values, parts)
  audit = parts.grpc.client(auditService, 'audit')
  db = await parts.openDatabase({
    url: '',
    ...schemaOf('audit'),
    connections_max: 1,
  })
}

afterEach(async () => {
  await db.close()
  await service.stop()
  await auth.stop()
  await parts.stop()
})

afterAll(() => {
  rmSync(folder, { recursive: true })
})

const run = (sql: string, parameters: Parameters<Database['query']>[1] = []) =>
  db.query(statement(sql), parameters)

/** Records one entry after the other. */
async function record(count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    const id = randomUUID()
    const action = { actor: 'ada', action: 'Act', subject: 'a', before: null, after: null }
    await parts.bus.publish([
      auditEntry('participant-lifecycle', { ...action, at: new Date(), id }),
    ])
    await eventually(
      async () =>
        (await run(`select 1 from entries where id = $1`, [id])).length > 0 ? 1 : undefined,
      'the entry is on record',
    )
  }
}

interface AnchorText {
  readonly number: string
  readonly hash: string
}

function anchors(): readonly AnchorText[] {
  const lines = readFileSync(anchorFile, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as AnchorText)
}

const anchored = (n: number) =>
  eventually(
    () => Promise.resolve(anchors().find(({ number }) => number === String(n))),
    `entry ${n} is anchored`,
  )

const verify = (noted: { readonly notedN?: string; readonly notedHash?: string } = {}) =>
  audit.VerifyAuditChain({ afterN: '0', limit: 5_000, ...noted })

/** The review's forgery: a key of the forger's own, and every entry changed, hashed and signed again. */
async function forgeAll(): Promise<void> {
  const file = join(folder, 'forged.key')
  writeKey(file)
  const forger = await openSigner('forged', file)
  await run(`insert into signing_keys values ($1, $2, now())`, [forger.kid, forger.publicKey])
  const rows = await db.query<{ readonly n: string; readonly body: string }>(
    statement('select n, body from entries order by n'),
    [],
  )
  let last = origin
  for (const { n, body } of rows) {
    const changed = body.replace('"ada"', '"eve"')
    const hash = hashOf(last.hash, changed)
    await run(
      `update entries set body = $2, previous_hash = $3, hash = $4, kid = $5, signature = $6
       where n = $1::text::bigint`,
      [n, changed, last.hash, hash, forger.kid, forger.sign(hash)],
    )
    last = { n: BigInt(n), hash }
  }
  const { signedAt, kid, signature } = anchorOf(last, forger, new Date())
  await run('update head set hash = $1, signed_at = $2, kid = $3, signature = $4', [
    last.hash,
    signedAt,
    kid,
    signature,
  ])
}

describe('an unchanged log', () => {
  test('An unchanged log fits its anchors, and an entry that was noted elsewhere', async () => {
    await record(2)
    const { number, hash } = await anchored(2)
    const report = await verify({ notedN: number, notedHash: hash })
    expect(report.faults).toEqual([])
    expect(report.anchorsChecked).toBe(String(anchors().length))
  })

  test('An anchor is stored when the head moves, and only then', async () => {
    await record(1)
    await anchored(1)
    await record(1)
    await anchored(2)
    const numbers = anchors().map(({ number }) => number)
    expect(numbers).toEqual(['1', '2'])
  })

  test('The state of the log names its last entry and its last anchor', async () => {
    await record(2)
    const { hash } = await anchored(2)
    const state = await audit.DescribeAuditLog({})
    expect(state).toMatchObject({ lastN: '2', lastHash: hash, signatureValid: true, anchorN: '2' })
  })

  test('A head whose signature was removed is not signed at the next start', async () => {
    await record(1)
    await run('update head set signed_at = null, kid = null, signature = null')
    expect((await verify()).faults).toEqual(['the head, entry 1, is not what was signed'])
    const before = [service, auth]
    const again = await parts.restart()
    await Promise.allSettled(before.map((each) => each.stop()))
    await openOn(again)
    expect((await verify()).faults).toEqual(['the head, entry 1, is not what was signed'])
  })
})

describe('with write access to the whole database', () => {
  test('Entries that are changed, hashed and signed again with a key inserted into the database do not verify', async () => {
    await record(3)
    await forgeAll()
    const { faults } = await verify()
    expect(faults.slice(0, 4)).toEqual([
      'entry 1 is not what was signed',
      'entry 2 is not what was signed',
      'entry 3 is not what was signed',
      'the head, entry 3, is not what was signed',
    ])
    const { entries } = await audit.ListAuditEntries({ limit: 500 })
    expect(entries.map(({ signatureValid }) => signatureValid)).toEqual([false, false, false])
  })

  test('A log whose end is cut off and whose head is moved does not verify', async () => {
    await record(3)
    await run('delete from entries where n = 3')
    await run('update head set n = 2, hash = (select hash from entries where n = 2)')
    expect((await verify()).faults).toContain('the head, entry 2, is not what was signed')
  })

  test('A log that is cut off behind an anchor does not verify, even with an older signed head', async () => {
    await record(1)
    const [head] = await run('select * from head')
    const { n, hash, signed_at, kid, signature } = head as Record<string, string>
    await record(1)
    const { hash: noted } = await anchored(2)
    await run('delete from entries where n = 2')
    await run('update head set n = $1, hash = $2, signed_at = $3, kid = $4, signature = $5', [
      n ?? '',
      hash ?? '',
      signed_at ?? '',
      kid ?? '',
      signature ?? '',
    ])
    const { faults } = await verify({ notedN: '2', notedHash: noted })
    expect(faults).toEqual([
      'entry 2, which the question names, is missing',
      expect.stringMatching(/^entry 2, which the anchor of .+ names, is missing$/),
    ])
  })

  test('A log that was changed gets no new anchor, and raises the alarm', async () => {
    await record(1)
    await anchored(1)
    await forgeAll()
    await record(1)
    await eventually(
      async () =>
        (await parts.metrics.metrics()).includes('audit_log_broken{store="file"} 1\n')
          ? 1
          : undefined,
      'the alarm',
    )
    expect(anchors().map(({ number }) => number)).toEqual(['1'])
  })
})

describe('the file of anchors', () => {
  test('A lost file is a fault, and is not created again', async () => {
    await record(1)
    await anchored(1)
    rmSync(anchorFile)
    await record(1)
    const { faults } = await verify()
    expect(faults).toEqual([expect.stringContaining('the anchors cannot be read')])
  })

  test('A changed line is a fault', async () => {
    await record(1)
    await anchored(1)
    const other = createHash('sha256').update('other').digest('hex')
    const text = readFileSync(anchorFile, 'utf8')
    writeFileSync(anchorFile, `${text.replace(/[\da-f]{64}/, other)}no anchor\n`)
    const { faults, anchorsChecked } = await verify()
    expect(anchorsChecked).toBe('2')
    expect(faults).toEqual([
      'line 1 of the anchors is not signed by a trusted key',
      'line 2 of the anchors is not signed by a trusted key',
    ])
  })
})
