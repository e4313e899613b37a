/**
 * Each page of docs/runbooks against a hub that is attacked as the page assumes: its commands run as they
 * are written, and afterwards the attack has no effect.
 */
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { enrol } from './operator/credentials.ts'
import { openFsp, type Credentials, type Fsp } from './fsp/fsp.ts'
import {
  freePorts,
  newDataDir,
  removeDataDir,
  startHub,
  type HubProcess,
} from './hub/hub-process.ts'
import { projectFolder } from './hub/npm-runner.ts'
import {
  account,
  administratorLogIn,
  answered,
  onboard,
  operatorAt,
  personWith,
  type Operator,
} from './operator/operator.ts'
import { sql } from './hub/months.ts'
import { openRunbooks, type Runbooks } from './hub/runbook.ts'
import { copyTemplate } from './hub/template.ts'

let dataDir: string
let work: string
let hub: HubProcess
let operator: Operator
let credentials: Credentials
let fsp: Fsp
let runbooks: Runbooks
let restart: () => Promise<void>
/** Settings that a page asks for. */
let furtherSettings: Readonly<Record<string, string>> = {}

beforeAll(async () => {
  dataDir = await copyTemplate()
  work = await newDataDir()
  const ports = await freePorts()
  const settings = { LOG_LEVEL: 'warn', AUDIT_ANCHOR_INTERVAL_S: '1', ...ports }
  const start = async () =>
    (hub = await startHub({ dataDir, settings: { ...settings, ...furtherSettings } }))
  restart = async () => {
    await hub.stop()
    await start()
  }
  await start()
  operator = operatorAt(hub.urls.operator, hub.passwordFile)
  await answered(operator.call('POST', '/participants', { name: 'greenbank', currency: 'USD' }))
  credentials = await enrol(operator, 'greenbank')
  fsp = await openFsp('greenbank', () => hub.urls.fsp, credentials)
  await onboard(operator, fsp)
  const logIn = join(work, 'log-in.json')
  await writeFile(logIn, JSON.stringify(administratorLogIn))
  runbooks = await openRunbooks(
    work,
    { stop: () => hub.stop(), start },
    {
      HUB: hub.urls.operator,
      LOG_IN: logIn,
      CURL_OPTIONS: '',
      CHECKOUT: projectFolder,
      DATA_DIR: dataDir,
      ...ports,
    },
  )
})

afterAll(async () => {
  runbooks.close()
  await fsp.stop()
  await hub.stop()
  await Promise.all([dataDir, `${dataDir}.lost`, work].map(removeDataDir))
})

const limit_ms = 120_000

/** What the hub answers to a question of the FSP; 0 where there is no connection. */
async function statusFor(identity: Credentials): Promise<number> {
  const asking = await openFsp('greenbank', () => hub.urls.fsp, identity)
  try {
    return (await asking.send('GET', '/parties/MSISDN/12025550199')).status
  } catch {
    return 0
  } finally {
    await asking.stop()
  }
}

const isRefused = (status: number) => status === 0 || status === 401

test('Every page of the runbooks is run by this story', () => {
  expect(runbooks.pages).toEqual([
    'stolen-fsp-key',
    'stolen-ca-key',
    'rogue-operator',
    'lost-audit-anchor',
    'lost-month-key',
    'restore',
  ])
})

describe('Rogue operator', () => {
  test(
    'After the page the operator, and what it created and requested, has no effect',
    async () => {
      const url = hub.urls.operator
      const mallory = await personWith(operator, url, 'mallory', ['administrator'])
      const accomplice = { name: 'accomplice', roles: ['checker'] }
      await answered(mallory.call('POST', '/operators', accomplice))
      const { id } = await account(operator, 'greenbank', 'SETTLEMENT')
      const funds = {
        participantId: 'greenbank',
        accountId: id,
        direction: 'DEPOSIT',
        amount: { amount: '1000000', currency: 'USD' },
        externalReference: 'no statement of any bank',
        reason: 'deposit',
      }
      const { requestId } = await answered<{ readonly requestId: string }>(
        mallory.call('POST', '/ManageFunds', funds),
      )
      const output = await runbooks.run('rogue-operator', { OPERATOR: 'mallory' })
      expect(output).toMatch(/CreateOperator\s+operators\/accomplice\s+true/)
      expect(output).toContain(requestId)
      expect((await mallory.call('GET', '/operators')).status).toBe(401)
      expect((await operator.call('GET', '/operators/accomplice')).json).toMatchObject({
        isActive: false,
      })
      expect((await operator.call('GET', '/GetPendingManageFunds')).json).toEqual([])
    },
    limit_ms,
  )
})

describe('Stolen key of an FSP', () => {
  test(
    'After the page the stolen credentials are refused, and the new ones are accepted',
    async () => {
      expect(await statusFor(credentials)).toBe(202)
      await runbooks.run('stolen-fsp-key', { FSP: 'greenbank' })
      await eventually(
        async () => isRefused(await statusFor(credentials)),
        'the stolen certificate to be refused',
      )
      const replaced = { ...credentials, ...pairIn(work) }
      await eventually(
        async () => (await statusFor(replaced)) === 202,
        'the new certificate to be accepted',
      )
      const keys = await answered<readonly { readonly validTo: string | null }[]>(
        operator.call('GET', '/participants/greenbank/keys'),
      )
      expect(keys.filter(({ validTo }) => validTo === null)).toHaveLength(1)
    },
    limit_ms,
  )
})

describe('Stolen key of the certificate authority', () => {
  test(
    'After the page certificates of the stolen authority are refused, and those of the new one are accepted',
    async () => {
      const before = pairIn(work)
      const folder = join(work, 'requests')
      await mkdir(folder)
      await copyFile(join(work, 'greenbank.csr'), join(folder, 'greenbank.csr'))
      await runbooks.run('stolen-ca-key', { CSRS: folder })
      const ca = readFileSync(join(folder, 'ca.pem'), 'utf8')
      expect(ca).not.toBe(credentials.ca)
      const certificate = readFileSync(join(folder, 'greenbank.pem'), 'utf8')
      expect(await statusFor({ ...credentials, ...before, certificate, ca })).toBe(202)
      expect(isRefused(await statusFor({ ...credentials, ...before, ca }))).toBe(true)
      credentials = { ...credentials, ...before, certificate, ca }
    },
    limit_ms,
  )
})

describe('Lost audit anchor', () => {
  test(
    'After the page the log verifies, and is anchored again',
    async () => {
      const anchors = join(dataDir, 'secrets/audit-anchors.jsonl')
      await eventually(() => existsSync(anchors), 'a first anchor')
      await rm(anchors)
      const output = await runbooks.run('lost-audit-anchor')
      expect(output).toContain('"clean": false')
      await eventually(() => readFileSync(anchors, 'utf8') !== '', 'an anchor in the new file')
      const verified = await operator.call('POST', '/audit/verify')
      expect(verified.json).toMatchObject({ clean: true, faults: [] })
    },
    limit_ms,
  )
})

describe('Lost key of a month', () => {
  const thisMonth = new Date().toISOString().slice(0, 7)
  const rowsOf = async (query: string) =>
    ((await sql(dataDir, query)) as { readonly rows: readonly Readonly<Record<string, string>>[] })
      .rows
  const keyOfMonth = `select encode(sealed, 'hex') as sealed from auth_service.month_keys
    where month = '${thisMonth}-01'`
  const loseKey = () =>
    sql(dataDir, `delete from auth_service.month_keys where month = '${thisMonth}-01'`)

  test(
    'After a restore of auth-service from last month no key that encrypted messages is missing, and the next is made',
    async () => {
      const months = 'select month::text from auth_service.month_keys order by month'
      const before = await rowsOf(months)
      await sql(
        dataDir,
        `delete from auth_service.month_keys
          where month > (select max(month) from transfers.message_keys)`,
      )
      await restart()
      expect(await rowsOf(months)).toEqual(before)
      await expect(runbooks.run('lost-month-key', {}, { to: 1 })).rejects.toThrow('Command failed')
    },
    limit_ms,
  )

  test(
    'A key that a newer copy has is brought back, and one that none has is given up; payments go on meanwhile',
    async () => {
      const [before] = await rowsOf(keyOfMonth)
      await loseKey()
      await restart()
      const listed = await runbooks.run('lost-month-key', {}, { to: 1 })
      for (const service of ['transfers', 'quoting', 'notifications']) {
        expect(listed).toContain(`month_keys_lost{service="${service}",month="${thisMonth}"} 1`)
      }
      expect(await rowsOf(keyOfMonth)).toEqual([])
      expect(await statusFor(credentials)).toBe(202)
      await sql(
        dataDir,
        `insert into auth_service.month_keys (month, sealed, created_at)
         values ('${thisMonth}-01', decode('${before?.['sealed']}', 'hex'), now())`,
      )
      await runbooks.run('lost-month-key', {}, { from: 2, to: 2 })
      await loseKey()
      furtherSettings = { AUTH_SERVICE_GIVEN_UP_MONTHS: thisMonth }
      await runbooks.run('lost-month-key', {}, { from: 3 })
      const [after] = await rowsOf(keyOfMonth)
      expect(after?.['sealed']).toMatch(/./)
      expect(after).not.toEqual(before)
    },
    limit_ms,
  )
})

describe('Restore', () => {
  test(
    'After the page the hub is as it was at the time of the backup, and books and log verify',
    async () => {
      const variables = { BACKUP: join(work, 'causeway.tar.gz') }
      await runbooks.run('restore', variables, { to: 1 })
      await answered(operator.call('POST', '/operators', { name: 'later', roles: ['viewer'] }))
      const output = await runbooks.run('restore', variables, { from: 2 })
      expect(output).toMatch(/^clean: compared /m)
      expect((await operator.call('GET', '/operators/later')).status).toBe(404)
      expect(await statusFor(credentials)).toBe(202)
    },
    limit_ms,
  )
})

/** The key and certificate that step 5 of the page has made. */
function pairIn(folder: string): Pick<Credentials, 'certificate' | 'key'> {
  const text = (name: string) => readFileSync(join(folder, name), 'utf8')
  return { certificate: text('greenbank.pem'), key: text('greenbank.key') }
}
