/**
 * The console in a real browser: an operator ends the day, sees its figures in charts and in the list,
 * saves the files, and prints the page.
 */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { browserStart_ms, faultsOf, isTooWide, story_ms } from './parties/browser.ts'
import { openConsole, type Console, type OpenConsole } from './parties/console.ts'
import type { Fsp } from './fsp/fsp.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, committed, newTransfer } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp
let opened: OpenConsole
let operators: Console
let page: Page
const today = new Date().toISOString().slice(0, 10)

beforeAll(async () => {
  scheme = await openSchemeOfFsps({
    OPERATOR_IDENTITY: 'token',
    SETTLEMENTS_REPORTS_DELAY_MS: '3000',
  })
  payer = await scheme.join('greenbank')
  payee = await scheme.join('bluewallet')
  const transfer = newTransfer(payer, payee, { amount: '12.5' })
  await payer.send('POST', '/transfers', transfer.request, { 'fspiop-destination': payee.name })
  await payee.await(about(transfer.transferId, 'POST'))
  const path = `/transfers/${transfer.transferId}`
  await payee.send('PUT', path, committed(transfer), { 'fspiop-destination': payer.name })
  await payer.await(about(transfer.transferId, 'PUT'))
  opened = await openConsole(scheme)
  ;({ operators, page } = opened)
}, browserStart_ms + story_ms)

afterAll(async () => {
  // A part that did not start cannot be stopped; an error here would hide the cause.
  await (opened as OpenConsole | undefined)?.close()
  await (scheme as Scheme | undefined)?.stop()
})

test(
  'An operator ends the day in the console and sees its figures',
  async () => {
    await operators.go(page, '/reports')
    await page.getByText('There are no reports yet.').waitFor()
    await page.getByRole('button', { name: 'Make reports' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Day', { exact: true }).fill(today)
    await dialog.getByLabel('Current day').selectOption('ends now')
    await dialog.getByRole('button', { name: 'Make reports' }).click()
    await dialog.waitFor({ state: 'detached' })
    const row = page
      .getByRole('table', { name: 'Finished days, newest first' })
      .getByRole('row')
      .filter({ hasText: today })
    await row.waitFor()
    await row.getByText('12.50 USD').waitFor()
    await page.getByRole('img', { name: `Transfers: ${today} 1` }).waitFor()
    await operators.go(page, '/reports')
    expect(await faultsOf(page, 'reports')).toEqual([])
    expect(operators.complaints).toEqual([])
  },
  story_ms,
)

test(
  'The files are saved from the list, and the page prints to PDF',
  async () => {
    const save = async (name: string) => {
      const saving = page.waitForEvent('download')
      await page.getByRole('button', { name, exact: true }).first().click()
      return readFile(await (await saving).path(), 'utf8')
    }
    expect(await save('CSV')).toContain('USD,sent,total,1,12.5')
    const html = await save('Page')
    expect(html).toContain(`End-of-day report of the scheme, ${today}`)
    const printed = await operators.openPage()
    await printed.setContent(html)
    const pdf = await printed.pdf({ preferCSSPageSize: true })
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    expect(await isTooWide(printed)).toBe(false)
  },
  story_ms,
)
