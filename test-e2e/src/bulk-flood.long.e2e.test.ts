/**
 * Messages about one bulk, sent without end by one FSP, delay the expiry of no payment of others: the payer
 * FSP learns of it within seconds, in a hub of one process.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { aboutBulk, newBulk, paid, quoted, resultsIn, type Bulk } from './fsp/bulk.ts'
import { beginFlood } from './parties/flooding.ts'
import type { Fsp } from './fsp/fsp.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, errorOf, newTransfer } from './fsp/transfer.ts'

const items = 1_000
const expires_ms = 2_000
/** A second of grace, up to a second until the next sweep, and what a busy machine takes. */
const learns_within_ms = 5_000

let scheme: Scheme
let payer: Fsp
let payee: Fsp
/** Never answers a transfer. */
let silent: Fsp

beforeAll(async () => {
  scheme = await openSchemeOfFsps()
  payer = await scheme.join('greenbank', { funds: '1000000' })
  payee = await scheme.join('bluewallet')
  silent = await scheme.join('redmoney')
}, 300_000)

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

async function accepted(): Promise<Bulk> {
  const amounts = Array.from({ length: items }, () => '0.01')
  const bulk = newBulk(payer, payee, amounts, { expires_ms: 600_000 })
  await quoted(bulk, payer, payee)
  const to = { 'fspiop-destination': payee.name }
  expect((await payer.send('POST', '/bulkTransfers', bulk.request, to)).status).toBe(202)
  await payee.await(aboutBulk(bulk.bulkTransferId, 'POST'), { timeout_ms: 120_000 })
  return bulk
}

/** A transfer that is not answered: the payer FSP is informed of its expiry in time. */
async function expireOne(): Promise<void> {
  const transfer = newTransfer(payer, silent, { amount: '0.01', expires_ms })
  const sent = await payer.send('POST', '/transfers', transfer.request)
  expect(sent.status).toBe(202)
  const timeout_ms = expires_ms + learns_within_ms
  const informed = await payer.await(about(transfer.transferId, 'PUT', true), { timeout_ms })
  expect(errorOf(informed).errorCode).toBe('3303')
}

async function expireSome(): Promise<void> {
  await Promise.all(Array.from({ length: 4 }, expireOne))
  await Promise.all(Array.from({ length: 4 }, expireOne))
  await Promise.all(Array.from({ length: 4 }, expireOne))
}

function headersOf(from: Fsp, to: Fsp): Readonly<Record<string, string>> {
  const media = 'application/vnd.interoperability.bulkTransfers+json;version=1.1'
  return {
    accept: media,
    'content-type': media,
    date: new Date().toUTCString(),
    'fspiop-source': from.name,
    'fspiop-destination': to.name,
  }
}

test('Answers of a payee FSP that report nothing of its bulk, 150 a second, delay no expiry', async () => {
  const bulk = await accepted()
  const answer = {
    bulkTransferState: 'PROCESSING',
    individualTransferResults: [{ transferId: randomUUID() }],
  }
  const flood = beginFlood({
    type: 'MESSAGES',
    url: scheme.hub.urls.fsp,
    per_s: 150,
    method: 'PUT',
    path: `/bulkTransfers/${bulk.bulkTransferId}`,
    headers: headersOf(payee, payer),
    body: JSON.stringify(answer),
  })
  await flood.answered(300)
  await expireSome()
  await flood.stop()
  const path = `/bulkTransfers/${bulk.bulkTransferId}`
  const to = { 'fspiop-destination': payer.name }
  expect((await payee.send('PUT', path, paid(bulk.items), to)).status).toBe(200)
  const timeout_ms = 120_000
  const ended = await payer.await(aboutBulk(bulk.bulkTransferId, 'PUT'), { timeout_ms })
  expect(new Set(resultsIn(ended))).toEqual(new Set(['paid']))
}, 600_000)

test('Queries of a completed bulk of 1,000 items, 60 a second, delay no expiry', async () => {
  const bulk = await accepted()
  const path = `/bulkTransfers/${bulk.bulkTransferId}`
  const to = { 'fspiop-destination': payer.name }
  expect((await payee.send('PUT', path, paid(bulk.items), to)).status).toBe(200)
  await payer.await(aboutBulk(bulk.bulkTransferId, 'PUT'), { timeout_ms: 120_000 })
  const flood = beginFlood({
    type: 'MESSAGES',
    url: scheme.hub.urls.fsp,
    per_s: 60,
    method: 'GET',
    path,
    headers: headersOf(payee, payer),
  })
  await flood.answered(120)
  await expireSome()
  const { statuses } = await flood.stop()
  // Each counts as the largest bulk, so most exceed the rate of the FSP.
  expect(Object.keys(statuses).toSorted()).toEqual(['202', '503'])
}, 600_000)
