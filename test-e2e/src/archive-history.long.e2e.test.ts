/**
 * Consents, payments of PISPs and bulks of an archived month: after the restore the operator sees
 * all of them again, and every row is restored, in a new database as well.
 */
import { createAuthenticator } from '@causeway/fsp'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { join } from 'node:path'
import { request as call } from 'undici'
import {
  freePorts,
  newDataDir,
  removeDataDir,
  startHub,
  type HubProcess,
} from './hub/hub-process.ts'
import { age, command, contentsOf, month } from './hub/months.ts'
import { answered, openScheme, operatorAt, type Operator } from './operator/operator.ts'
import { insecureSettings } from './hub/scheme.ts'
import {
  linkedAt,
  mei,
  openDfsp,
  openPayee,
  openPisp,
  payer,
  paymentFrom,
  type AtHub,
  type TestParticipant,
  type TestDfsp,
} from './parties/third-party.ts'

let dataDir: string
let hub: HubProcess
let operator: Operator
let pisp: TestParticipant
let dfsp: TestDfsp
let payee: TestParticipant

beforeAll(async () => {
  dataDir = await newDataDir()
  hub = await start(dataDir)
  operator = operatorAt(hub.urls.operator, hub.passwordFile)
  await openScheme(operator)
  const scheme: AtHub = { hub, operator, isSafe: false }
  pisp = await openPisp(scheme, 'lemonpay')
  dfsp = await openDfsp(scheme, 'greenbank')
  payee = await openPayee(scheme, 'bluewallet')
}, 240_000)

afterAll(async () => {
  await Promise.all([pisp, dfsp, payee].map((each) => each.stop()))
  await hub.stop()
  await removeDataDir(dataDir)
})

async function start(folder: string): Promise<HubProcess> {
  const settings = { LOG_LEVEL: 'warn', ...insecureSettings, ...(await freePorts()) }
  return startHub({ dataDir: folder, settings })
}

interface Shown {
  readonly consent: {
    readonly state: string
    readonly steps: readonly object[]
    readonly archivedMonths: readonly string[]
  }
  readonly request: {
    readonly thirdParty: { readonly endedAt: string | null }
    readonly findings: readonly string[]
    readonly steps: readonly object[]
  }
  readonly bulkQuote: {
    readonly individualQuotes: readonly object[]
    readonly findings: readonly string[]
  }
  readonly bulkTransfer: {
    readonly individualTransfers: readonly object[]
    readonly messages: readonly object[]
    readonly deliveries: readonly object[]
    readonly archivedMonths: readonly string[]
  }
}

interface Ids {
  readonly consentId: string
  readonly transactionRequestId: string
  readonly bulkQuoteId: string
  readonly bulkTransferId: string
}

/** A consent that is used and revoked, and a bulk of two payments. */
async function makeHistory(): Promise<Ids> {
  const { consentId, device } = await linkedAt(pisp, dfsp, createAuthenticator())
  const { transactionRequestId, ...paid } = await pisp.fsp.pisp.pay(paymentFrom(dfsp, device))
  expect(paid.state).toBe('COMPLETED')
  expect(await pisp.fsp.pisp.unlink(consentId)).toMatchObject({ state: 'UNLINKED' })
  const { bulks } = await dfsp.fsp.payBulk({
    payer,
    payments: ['1', '2'].map((amount) => ({
      to: { type: mei.type, id: mei.id },
      amount: { amount, currency: 'USD' },
    })),
    expiration: new Date(Date.now() + 20_000),
  })
  const [bulk] = bulks
  expect(bulk).toMatchObject({ state: 'COMPLETED', committed: 2 })
  const { bulkQuoteId = '', bulkTransferId = '' } = bulk ?? {}
  return { consentId, transactionRequestId, bulkQuoteId, bulkTransferId }
}

async function shownOf(ids: Ids): Promise<Shown> {
  const [consent, request, bulkQuote, bulkTransfer] = await Promise.all(
    [
      `/consents/${ids.consentId}`,
      `/third-party-transactions/${ids.transactionRequestId}/story`,
      `/bulkQuotes/${ids.bulkQuoteId}`,
      `/bulkTransfers/${ids.bulkTransferId}`,
    ].map((path) => answered<unknown>(operator.call('GET', path))),
  )
  return { consent, request, bulkQuote, bulkTransfer } as Shown
}

/** Resolves when every service has stored everything, also how callbacks were delivered. */
function whole(ids: Ids): Promise<Shown> {
  return eventually(async () => {
    const shown = await shownOf(ids)
    const { consent, request, bulkTransfer } = shown
    const isEnded = consent.state === 'REVOKED' && request.thirdParty.endedAt !== null
    if (!isEnded || bulkTransfer.deliveries.length !== 3) return undefined
    return (await unfinishedMessages()) === 0 ? shownOf(ids) : undefined
  }, 'the history is complete')
}

/** Messages of the event bus that a consumer has not finished, stored results included. */
async function unfinishedMessages(): Promise<number> {
  const text = await (await call(`${hub.urls.metrics}/metrics`)).body.text()
  const counts = [...text.matchAll(/^bus_unfinished\{[^}]*\} (\d+)$/gm)].map(([, n]) => Number(n))
  expect(counts.length).toBeGreaterThan(0)
  return counts.reduce((sum, n) => sum + n, 0)
}

test('Consents, third-party payments and bulks are restored with their month', async () => {
  const ids = await makeHistory()
  const before = await whole(ids)
  expect(before.consent.steps.length).toBeGreaterThan(4)
  expect(before.request.steps.length).toBeGreaterThan(15)
  expect(before.bulkQuote.individualQuotes).toHaveLength(2)
  expect(before.consent.archivedMonths).toEqual([])
  expect(before.bulkTransfer.archivedMonths).toEqual([])
  await age(dataDir)
  const aged = await shownOf(ids)
  const contents = await contentsOf(dataDir)
  expect(tablesWithRows(contents)).toEqual([
    'auth_service.consent_steps',
    'auth_service.revoked_credentials',
    'auth_service.third_party_steps',
    'notifications.deliveries',
    'quoting.bulk_messages',
    'quoting.bulk_quote_items',
    'quoting.deliveries',
    'quoting.messages',
    'scheduler.reminder_history',
    'transfers.bulk_messages',
    'transfers.deliveries',
    'transfers.messages',
  ])

  const folder = join(dataDir, 'archive')
  await command(dataDir, 'archive', '--month', month, '--to', folder)
  expect(tablesWithRows(await contentsOf(dataDir))).toEqual([])
  const archived = await shownOf(ids)
  expect(archived.consent).toMatchObject({ state: 'REVOKED', archivedMonths: [month] })
  expect(archived.request.findings).toContain(
    `What lemonpay and greenbank sent each other is archived with ${month}: npm run restore puts it back.`,
  )
  expect(archived.bulkQuote).toMatchObject({ state: 'ACCEPTED', individualQuotes: [] })
  expect(archived.bulkTransfer).toMatchObject({
    state: 'COMPLETED',
    committed: 2,
    messages: [],
    archivedMonths: [month],
  })
  expect(archived.bulkTransfer.individualTransfers).toHaveLength(2)
  expect((await operator.call('POST', '/verify')).json).toMatchObject({ clean: true })

  await command(dataDir, 'restore', '--from', join(folder, month))
  expect(await contentsOf(dataDir)).toEqual(contents)
  expect(await shownOf(ids)).toEqual(aged)
  expect((await operator.call('POST', '/verify')).json).toMatchObject({ clean: true })

  const other = await newDataDir()
  const empty = await start(other)
  try {
    // The files alone tell nothing: the key stays with the hub that has archived the month.
    await expect(command(other, 'restore', '--from', join(folder, month))).rejects.toThrow(
      `There is no key of ${month} here`,
    )
    expect(tablesWithRows(await contentsOf(other))).toEqual([])
  } finally {
    await empty.stop()
    await removeDataDir(other)
  }
}, 240_000)

function tablesWithRows(contents: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(contents).filter((table) => contents[table] !== '0 rows')
}
