/**
 * The console in a real browser: an operator finds a bulk transfer, watches its progress, and goes on
 * to its payments and to its bulk quote.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { barriers, browserStart_ms, isTooWide, openBrowser, screenshot } from './hub/browser.ts'
import { aboutBulk, newBulk, quoted, type Bulk } from './hub/bulk.ts'
import { consoleAt, newOperator, type Console } from './hub/console.ts'
import type { Fsp } from './hub/fsp.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'

let browser: Browser
let scheme: Scheme
let payer: Fsp
let payee: Fsp
let bulk: Bulk
let operators: Console
let page: Page

/** For a test with many steps, on a busy machine. */
const story_ms = 400_000

beforeAll(async () => {
  scheme = await openSchemeOfFsps({ OPERATOR_IDENTITY: 'token' })
  payer = await scheme.join('greenbank')
  payee = await scheme.join('bluewallet')
  // The payee FSP has received it and has not answered it yet.
  bulk = newBulk(payer, payee, ['10', '20', '30'], { expires_ms: story_ms })
  await quoted(bulk, payer, payee)
  await payer.send('POST', '/bulkTransfers', bulk.request, { 'fspiop-destination': payee.name })
  await payee.await(aboutBulk(bulk.bulkTransferId, 'POST'))
  browser = await openBrowser()
  operators = consoleAt(scheme.hub.urls.operator, browser)
  page = await operators.openPage()
  const ada = await newOperator(scheme.operator, 'ada', ['administrator'])
  await operators.enter(page, ada, 'correct horse battery')
}, browserStart_ms + story_ms)

afterAll(async () => {
  // A part that did not start cannot be stopped; an error here would hide the cause.
  await (browser as Browser | undefined)?.close()
  await (scheme as Scheme | undefined)?.stop()
})

async function isAsItShouldBe(name: string): Promise<void> {
  expect(await barriers(page)).toEqual([])
  expect(await isTooWide(page)).toBe(false)
  await screenshot(page, name)
}

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
    await isAsItShouldBe('bulk-transfers')
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
    await isAsItShouldBe('bulk-transfer-open')
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
    await isAsItShouldBe('bulk-transfer-completed')
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
    await items.getByText('PENDING').first().waitFor()
    expect(await items.getByRole('row').count()).toBe(4)
    await isAsItShouldBe('bulk-quote')
    await page.getByRole('link', { name: bulk.bulkTransferId }).click()
    await page.getByRole('heading', { name: `Bulk transfer ${bulk.bulkTransferId}` }).waitFor()
    await operators.go(page, '/bulk-quotes')
    const quotes = page.getByRole('row').filter({ hasText: bulk.request.bulkQuoteId })
    await quotes.getByRole('link', { name: bulk.request.bulkQuoteId }).waitFor()
    expect(operators.complaints).toEqual([])
  },
  story_ms,
)
