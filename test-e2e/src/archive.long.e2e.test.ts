/**
 * A month is archived under a running hub. A repeated id after that gets its earlier answer: no
 * second payment is made, no FSP is asked again, and the operator sees where the rest is stored.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { join } from 'node:path'
import type { Fsp } from './fsp/fsp.ts'
import {
  freePorts,
  newDataDir,
  removeDataDir,
  startHub,
  type HubProcess,
} from './hub/hub-process.ts'
import { joinScheme } from './operator/join.ts'
import { age, command, month, sql } from './hub/months.ts'
import { answered, openScheme, operatorAt, position, type Operator } from './operator/operator.ts'
import { agree, at, move, newQuote, passed } from './fsp/payment.ts'
import { insecureSettings } from './hub/scheme.ts'
import { about, committed, errorOf, newTransfer, type Transfer } from './fsp/transfer.ts'

let dataDir: string
let hub: HubProcess
let operator: Operator
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  dataDir = await newDataDir()
  const settings = { LOG_LEVEL: 'warn', ...insecureSettings, ...(await freePorts()) }
  hub = await startHub({ dataDir, settings })
  operator = operatorAt(hub.urls.operator, hub.passwordFile)
  await openScheme(operator)
  const access = { operator, fspUrl: () => hub.urls.fsp, isSafe: false }
  payer = await joinScheme(access, 'greenbank')
  payee = await joinScheme(access, 'bluewallet')
})

afterAll(async () => {
  await hub.stop()
  await Promise.all([payer.stop(), payee.stop()])
  await removeDataDir(dataDir)
})

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })
const expires_ms = 4_000

async function refuse({ transferId, request }: Transfer): Promise<void> {
  await payer.send('POST', '/transfers', request, to(payee))
  await payee.await(about(transferId, 'POST'))
  const errorInformation = { errorCode: '5106', errorDescription: 'Payee rejected' }
  await payee.send('PUT', `/transfers/${transferId}/error`, { errorInformation }, to(payer))
  await payer.await(about(transferId, 'PUT', true))
}

const lastOf = (fsp: Fsp) => ({ after: fsp.received.length })

interface Story {
  readonly findings: readonly string[]
  readonly steps: readonly { readonly type: string; readonly refused?: string | null }[]
}

function storyOf({ transferId }: Transfer): Promise<Story> {
  return answered<Story>(operator.call('GET', `/transfers/${transferId}/story`))
}

/** The messages that led to the transfer, without those that changed nothing. */
const messagesIn = ({ steps }: Story) =>
  steps.filter(({ type, refused }) => type === 'MESSAGE' && refused === null)

test('An id of an archived month gets its earlier answer, and no second payment is made', async () => {
  const quote = newQuote(payer, payee)
  const { transfer } = await agree(payer, payee, quote, { expires_ms })
  const first = await move(payer, payee, transfer)
  const rejected = newTransfer(payer, payee, { expires_ms })
  await refuse(rejected)
  const positions = [await position(operator, 'greenbank'), await position(operator, 'bluewallet')]
  const whole = await storyOf(transfer)
  await passed(transfer.request.expiration)
  await passed(rejected.request.expiration)
  await age(dataDir)
  const folder = join(dataDir, 'archive')
  expect(await command(dataDir, 'archive', '--month', month, '--to', folder)).toContain(
    `${month} is archived in`,
  )

  const askedBefore = payee.received.length
  const { transferId, request } = transfer
  const again = lastOf(payer)
  await payer.send('POST', '/transfers', request, to(payee))
  const callback = await payer.await(about(transferId, 'PUT'), again)
  expect(callback.json()).toMatchObject({
    transferState: 'COMMITTED',
    fulfilment: transfer.fulfilment,
  })
  expect(callback.json()).toMatchObject({
    completedTimestamp: (first.json() as { completedTimestamp: string }).completedTimestamp,
  })

  const asked = lastOf(payer)
  await payer.send('GET', `/transfers/${transferId}`)
  expect((await payer.await(about(transferId, 'PUT'), asked)).json()).toEqual(callback.json())

  const refused = lastOf(payer)
  await payer.send('POST', '/transfers', rejected.request, to(payee))
  const no = await payer.await(about(rejected.transferId, 'PUT', true), refused)
  expect(errorOf(no)).toMatchObject({ errorCode: '5106' })

  const other = lastOf(payer)
  const changed = { ...request, amount: { currency: 'USD', amount: '11' } }
  await payer.send('POST', '/transfers', changed, to(payee))
  const used = await payer.await(about(transferId, 'PUT', true), other)
  expect(errorOf(used)).toMatchObject({ errorCode: '3106' })

  const quoted = lastOf(payer)
  await payer.send('POST', '/quotes', quote, to(payee))
  const expired = await payer.await(at('PUT', `/quotes/${quote.quoteId}/error`), quoted)
  expect(errorOf(expired)).toMatchObject({ errorCode: '3302' })

  expect(payee.received.length).toBe(askedBefore)
  expect([await position(operator, 'greenbank'), await position(operator, 'bluewallet')]).toEqual(
    positions,
  )
  const story = await storyOf(transfer)
  expect(story.findings.join()).toContain(`archived with ${month}`)
  expect(messagesIn(story)).toEqual([])
  expect(story.steps.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['DECISION', 'JOURNAL']),
  )
  const verified = await operator.call('POST', '/verify')
  expect(verified.json).toMatchObject({ clean: true })

  await command(dataDir, 'restore', '--from', join(folder, month))
  const restored = await storyOf(transfer)
  expect(restored.findings.join()).not.toContain('archived')
  expect(messagesIn(restored)).toEqual(messagesIn(whole))
  expect(messagesIn(whole).length).toBeGreaterThan(1)
  const once = lastOf(payer)
  await payer.send('POST', '/quotes', quote, to(payee))
  await payer.await(at('PUT', `/quotes/${quote.quoteId}`), once)
}, 90_000)

test('A month with a transfer that is not final is not archived', async () => {
  const transfer = newTransfer(payer, payee)
  const { transferId, request } = transfer
  await payer.send('POST', '/transfers', request, to(payee))
  await payee.await(about(transferId, 'POST'))
  await sql(
    dataDir,
    `update transfers.transfers set month = '${month}-01' where id = '${transferId}'`,
  )
  const refusal = command(dataDir, 'archive', '--month', month, '--to', join(dataDir, 'other'))
  await expect(refusal).rejects.toThrow(
    `${month} stays: transfers: 1 of its transfers are not final`,
  )
  await payee.send('PUT', `/transfers/${transferId}`, committed(transfer), to(payer))
  const callback = await payer.await(about(transferId, 'PUT'))
  expect(callback.json()).toMatchObject({ transferState: 'COMMITTED' })
})
