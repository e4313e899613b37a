/**
 * The console in a real browser: an operator finds a bulk transfer, watches its progress, and goes on
 * to its payments and to its bulk quote.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { browserStart_ms, faultsOf, story_ms } from './parties/browser.ts'
import { aboutBulk, newBulk, quoted, type Bulk } from './fsp/bulk.ts'
import { openConsole, type Console, type OpenConsole } from './parties/console.ts'
import type { Fsp } from './fsp/fsp.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp
let bulk: Bulk
let opened: OpenConsole
let operators: Console
let page: Page

beforeAll(async () => {
  scheme = await openSchemeOfFsps({ OPERATOR_IDENTITY: 'token' })
  payer = await scheme.join('greenbank')
  payee = await scheme.join('bluewallet')
  // The payee FSP has received it and has not answered it yet.
  bulk = newBulk(payer, payee, ['10', '20', '30'], { expires_ms: story_ms })
  await quoted(bulk, payer, payee)
  await payer.send('POST', '/bulkTransfers', bulk.request, { 'fspiop-destination': payee.name })
  await payee.await(aboutBulk(bulk.bulkTransferId, 'POST'))
  opened = await openConsole(scheme)
  ;({ operators, page } = opened)
}, browserStart_ms + story_ms)

afterAll(async () => {
  // A part that did not start cannot be stopped; an error here would hide the cause.
  await (opened as OpenConsole | undefined)?.close()
  await (scheme as Scheme | undefined)?.stop()
})

/** The payee FSP pays the first two items and refuses the last one. */
async function answer(): Promise<void> {
  const errorInformation = { errorCode: '5104', errorDescription: 'the account is closed' }
  const [first, second, third] = bulk.items
  const results = [first, second].map((item) => ({
    transferId: item?.transferId,
    fulfilment: item?.fulfilment,
  }))
  await payee.send(
    'PUT',
    `/bulkTransfers/${bulk.bulkTransferId}`,
    {
      completedTimestamp: new Date().toISOString(),
      bulkTransferState: 'COMPLETED',
      individualTransferResults: [...results, { transferId: third?.transferId, errorInformation }],
    },
    { 'fspiop-destination': payer.name },
  )
  await payer.await(aboutBulk(bulk.bulkTransferId, 'PUT'))
}

test(
  'The console finds a bulk transfer by its FSP and its state, and by no other',
  async () => {
    await operators.go(page, '/bulk-transfers')
    const form = page.getByRole('search')
    const search = async (fspId: string, state: string) => {
      await form.getByLabel('FSP').fill(fspId)
      await form.getByLabel('State').selectOption(state)
      await form.getByRole('button', { name: 'Search' }).click()
    }
    const found = page.getByRole('table', { name: 'Bulk transfers, the newest first' })
    await search('greenbank', 'COMPLETED')
    await page.getByText('No bulk transfer was found.').waitFor()
    await search('greenbank', 'ACCEPTED')
    const row = found.getByRole('row').filter({ hasText: bulk.bulkTransferId })
    await row.getByText('ACCEPTED').waitFor()
    expect(await row.getByRole('cell').allTextContents()).toEqual(
      expect.arrayContaining(['greenbank', 'bluewallet', '3', '0']),
    )
    expect(await faultsOf(page, 'bulk-transfers')).toEqual([])
    await row.getByRole('link', { name: bulk.bulkTransferId }).click()
    await page.getByRole('heading', { name: `Bulk transfer ${bulk.bulkTransferId}` }).waitFor()
  },
  story_ms,
)

test(
  'The page of a bulk transfer shows its items, and its progress while the payee FSP answers',
  async () => {
    await operators.go(page, `/bulk-transfers/${bulk.bulkTransferId}`)
    const items = page.getByRole('table', { name: 'In the order of the request' })
    const progress = page.getByRole('progressbar', { name: 'Items that are final' })
    const progressValue = () => progress.getAttribute('value')
    await page.getByText('0 of 3 items are final, 0 of them paid').waitFor()
    expect(await progressValue()).toBe('0')
    expect(await items.getByText('RESERVED').count()).toBe(3)
    expect(await faultsOf(page, 'bulk-transfer-open')).toEqual([])
    await answer()
    // The page reads it again by itself.
    await page.getByText('3 of 3 items are final, 2 of them paid').waitFor()
    expect(await progressValue()).toBe('3')
    const states = items.getByRole('row')
    for (const [at, state] of ['COMMITTED', 'COMMITTED', 'ABORTED'].entries()) {
      await states
        .nth(at + 1)
        .getByText(state)
        .waitFor()
      await states
        .nth(at + 1)
        .getByText(bulk.items[at]?.transferId ?? '')
        .waitFor()
    }
    const deliveries = page.getByRole('table', { name: 'Messages to the FSPs' })
    await deliveries.getByRole('link', { name: 'greenbank' }).waitFor()
    expect(await faultsOf(page, 'bulk-transfer-completed')).toEqual([])
  },
  story_ms,
)

test(
  'The page of a bulk transfer leads to the story of an item and to the bulk quote, and both lead back',
  async () => {
    await operators.go(page, `/bulk-transfers/${bulk.bulkTransferId}`)
    const [first] = bulk.items
    await page.getByRole('link', { name: first?.transferId ?? '' }).click()
    await page.getByRole('heading', { name: 'Story of a payment' }).waitFor()
    await page.getByRole('link', { name: bulk.bulkTransferId }).click()
    await page.getByRole('link', { name: bulk.request.bulkQuoteId }).click()
    await page.getByRole('heading', { name: `Bulk quote ${bulk.request.bulkQuoteId}` }).waitFor()
    const items = page.getByRole('table', { name: 'In the order of the request' })
    await items.getByText('ACCEPTED').first().waitFor()
    expect(await items.getByRole('row').count()).toBe(4)
    expect(await faultsOf(page, 'bulk-quote')).toEqual([])
    await page.getByRole('link', { name: bulk.bulkTransferId }).click()
    await page.getByRole('heading', { name: `Bulk transfer ${bulk.bulkTransferId}` }).waitFor()
    await operators.go(page, '/bulk-quotes')
    const quotes = page.getByRole('row').filter({ hasText: bulk.request.bulkQuoteId })
    await quotes.getByRole('link', { name: bulk.request.bulkQuoteId }).waitFor()
    expect(operators.complaints).toEqual([])
  },
  story_ms,
)
