/**
 * Makes releases/VERSION.json.gz: run in the checkout of a release, after its build, by `node
 * --enable-source-maps test-e2e/dist/releases/make.js VERSION`. It starts the hub of the checkout,
 * makes payments and settles, and stores the content of the database while two payments are open.
 */
import { eventually } from '@causeway/process/testing'
import { postmasterOf } from '../hub/postgres.ts'
import { freePorts, newDataDir, removeDataDir, startHub } from '../hub/hub-process.ts'
import type { Fsp } from '../fsp/fsp.ts'
import { joinScheme } from '../operator/join.ts'
import { answered, openScheme, operatorAt, type Operator } from '../operator/operator.ts'
import { about, committed, newTransfer, type Transfer } from '../fsp/transfer.ts'
import { dumpDatabase } from './dump.ts'
import { readSecrets, writeRelease } from './fixture.ts'

const [version] = process.argv.slice(2)
if (version === undefined) throw new Error('usage: make.js VERSION')

const dataDir = await newDataDir()
const settings = { EDGE_IDENTITY: 'header', JWS_VERIFY: 'off', JWS_SIGN: 'off' }
const hub = await startHub({ dataDir, settings: { ...settings, ...(await freePorts()) } })
const operator = operatorAt(hub.urls.operator, hub.passwordFile)
await openScheme(operator)
const access = { operator, fspUrl: () => hub.urls.fsp, isSafe: false }
const payer = await joinScheme(access, 'greenbank')
const payee = await joinScheme(access, 'bluewallet')

const settled = await pay('100')
await closeWindow(operator)
const paid = await pay('20.5')
const century_ms = 100 * 365 * 86_400_000
const open = await reserve('7', century_ms)
const expired = await reserve('3', 5_000)

const sql = await dumpDatabase(postmasterOf(dataDir).socketFolder)
writeRelease(version, {
  sql,
  secrets: readSecrets(dataDir),
  fspUrls: [payer.url, payee.url],
  payments: { settled, paid, open, expired },
})
await hub.kill()
await Promise.all([payer, payee].map((fsp: Fsp) => fsp.stop()))
await removeDataDir(dataDir)

async function reserve(amount: string, expires_ms: number): Promise<Transfer> {
  const transfer = newTransfer(payer, payee, { amount, expires_ms })
  await payer.send('POST', '/transfers', transfer.request, { 'fspiop-destination': payee.name })
  await payee.await(about(transfer.transferId, 'POST'))
  return transfer
}

async function pay(amount: string): Promise<Transfer> {
  const transfer = await reserve(amount, 30_000)
  await payee.send('PUT', `/transfers/${transfer.transferId}`, committed(transfer))
  await payer.await(about(transfer.transferId, 'PUT'))
  return transfer
}

async function closeWindow(at: Operator): Promise<void> {
  const windows = (state: string) =>
    answered<readonly { id: number }[]>(at.call('GET', `/v2/settlementWindows?state=${state}`))
  const [window] = await windows('OPEN')
  const change = { state: 'CLOSED', reason: 'the end of a day' }
  await answered(at.call('POST', `/v2/settlementWindows/${window?.id ?? 0}`, change))
  await eventually(async () => (await windows('CLOSED')).length > 0, 'a closed window')
}
