/** The console in a real browser: what an operator does there is done, and what is shown is so. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { browserStart_ms, openBrowser, screenshot } from './hub/browser.ts'
import type { Fsp } from './hub/fsp.ts'
import { account, answered, position } from './hub/operator.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, committed, newTransfer } from './hub/transfer.ts'

let browser: Browser
let scheme: Scheme
let payer: Fsp
let payee: Fsp
let page: Page
/** What the browser complained of: scripts that failed, and what the page's policy kept out. */
const complaints: string[] = []

/** Of a step with much to press, on a machine with much to do. */
const patience_ms = 120_000

beforeAll(async () => {
  browser = await openBrowser()
  scheme = await openSchemeOfFsps({
    OPERATOR_IDENTITY: 'token',
    NOTIFICATIONS_RETRY_FIRST_MS: '100',
  })
  payer = await scheme.join('greenbank')
  payee = await scheme.join('bluewallet', { netDebitCap: '500' })
  page = await openPage()
  await logIn(page, await newOperator('ada', ['administrator']), 'correct horse battery')
}, browserStart_ms + 60_000)

afterAll(async () => {
  await browser.close()
  await scheme.stop()
})

interface Credentials {
  readonly name: string
  readonly secret: string
}

/** Somebody who has not logged in yet. */
async function newOperator(name: string, roles: readonly string[]): Promise<Credentials> {
  return answered<Credentials>(scheme.operator.call('POST', '/operators', { name, roles }))
}

/** For the first time, so that the password has to be changed. */
async function logIn(at: Page, { name, secret }: Credentials, password: string): Promise<void> {
  await at.goto(`${scheme.hub.urls.operator}/console/`)
  await at.getByLabel('Name').fill(name)
  await at.getByLabel('Password').fill(secret)
  await at.getByRole('button', { name: 'Log in' }).click()
  await at.getByLabel('Present password').fill(secret)
  await at.getByLabel('New password').fill(password)
  await at.getByRole('button', { name: 'Change password' }).click()
  await at.getByRole('heading', { name: 'Overview' }).waitFor()
}

/** A browser of somebody's own. */
async function openPage(): Promise<Page> {
  const opened = await (await browser.newContext()).newPage()
  opened.setDefaultTimeout(15_000)
  opened.on('pageerror', (error) => complaints.push(error.message))
  opened.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) complaints.push(message.text())
  })
  return opened
}

/** Run in the page. */
const isTooWide = 'document.documentElement.scrollWidth > window.innerWidth'
const namelessElements = `
  [...document.querySelectorAll('input, select, button, a')]
    .filter((element) => {
      const label = element.labels?.[0]?.textContent ?? ''
      return (label + element.textContent + (element.ariaLabel ?? '')).trim() === ''
    })
    .map(({ outerHTML }) => outerHTML)`

async function go(view: string): Promise<void> {
  await page.goto(`${scheme.hub.urls.operator}/console/#${view}`)
}

async function pay(amount: string): Promise<string> {
  const transfer = newTransfer(payer, payee, { amount })
  const { transferId, request } = transfer
  await payer.send('POST', '/transfers', request)
  await payee.await(about(transferId, 'POST'))
  await payee.send('PUT', `/transfers/${transferId}`, committed(transfer))
  await payer.await(about(transferId, 'PUT'))
  return transferId
}

test('lets nobody in without a password, and out again', async () => {
  const stranger = await openPage()
  await stranger.goto(`${scheme.hub.urls.operator}/console/#/participants`)
  await stranger.getByLabel('Name').fill('ada')
  await stranger.getByLabel('Password').fill('a guess')
  await stranger.getByRole('button', { name: 'Log in' }).click()
  await stranger.getByRole('alert').waitFor()
  expect(await stranger.getByRole('link', { name: 'Participants' }).count()).toBe(0)
  await screenshot(stranger, 'log-in')
  await stranger.getByLabel('Password').fill('correct horse battery')
  await stranger.getByRole('button', { name: 'Log in' }).click()
  await stranger.getByRole('row', { name: /^greenbank/ }).waitFor()
  await stranger.getByRole('button', { name: 'Log out' }).click()
  await stranger.getByRole('button', { name: 'Log in' }).waitFor()
  await stranger.close()
})

test(
  'a new FSP takes two people: who asked for it cannot approve it',
  async () => {
    const maker = await openPage()
    const checker = await openPage()
    await logIn(maker, await newOperator('mary', ['maker', 'checker']), 'seven quiet lanterns')
    await logIn(checker, await newOperator('chris', ['checker']), 'eleven slow harbours')
    await maker.getByRole('link', { name: 'Participants' }).click()
    const form = maker.getByRole('region', { name: 'A new FSP' })
    await form.getByLabel('Name').fill('redbank')
    await form.getByLabel('Net debit cap').fill('750')
    await form.getByLabel('Callback address').fill(payer.url)
    await form.getByRole('button', { name: 'Ask for approval' }).click()
    await form.getByRole('status').waitFor()
    expect(await maker.getByRole('row', { name: /^redbank/ }).count()).toBe(0)

    await maker.getByRole('link', { name: 'Approvals' }).click()
    const own = maker.getByRole('row', { name: /CreateParticipant/ })
    await own.getByRole('button', { name: 'Approve' }).click()
    await own.getByRole('alert').waitFor()
    await screenshot(maker, 'approval-refused')

    await checker.getByRole('link', { name: 'Approvals' }).click()
    const waiting = checker.getByRole('row', { name: /CreateParticipant/ })
    await waiting.getByText('mary').waitFor()
    await screenshot(checker, 'approvals')
    await waiting.getByRole('button', { name: 'Approve' }).click()
    await checker.getByText('Nothing waits for a decision.').waitFor()
    await checker.getByRole('link', { name: 'Participants' }).click()
    await checker.getByRole('row', { name: /^redbank/ }).waitFor()
    await screenshot(checker, 'onboarded')
    const { status } = await scheme.operator.call('GET', '/participants/redbank')
    expect(status).toBe(200)
    await maker.close()
    await checker.close()
  },
  patience_ms,
)

test('shows who takes part, and how much of its limit each has used', async () => {
  await pay('120')
  await go('/participants')
  const row = page.getByRole('row', { name: /^greenbank/ })
  await row.getByText('ACTIVE', { exact: true }).waitFor()
  await row.getByRole('img', { name: /USD: position 120, limit 10 000, cover 10 000/ }).waitFor()
  await screenshot(page, 'participants')
})

test('takes funds in, and the cover grows', async () => {
  await go('/participants/bluewallet')
  const funds = page.getByRole('region', { name: 'Funds', exact: true })
  await funds.getByLabel('Amount').fill('250.75')
  await funds.getByLabel("Bank's reference").fill('slip 4711')
  await funds.getByLabel('Reason').fill('deposit')
  await funds.getByRole('button', { name: 'Record funds' }).click()
  await page.getByRole('img', { name: /cover 10 250\.75/ }).waitFor()
  const settlement = await account(scheme.operator, 'bluewallet', 'SETTLEMENT')
  expect(settlement.value).toBe(-10_250.75)
  await screenshot(page, 'participant')
})

test(
  'closes a window and settles it, step by step, with the buttons that the state allows',
  async () => {
    await pay('30')
    await go('/settlements')
    await page.getByRole('button', { name: /^Close window/ }).click()
    await page.getByRole('button', { name: /^Settle window \d+ under DEFERREDNETUSD$/ }).click()
    const settlement = page.getByRole('region', { name: 'Settlement 1' })
    for (const step of ['Record', 'Reserve', 'Commit', 'Settle']) {
      const next = settlement.getByRole('button', { name: new RegExp(`^${step} settlement`) })
      await next.waitFor()
      const canBeAborted = await settlement.getByRole('button', { name: /^Abort/ }).count()
      expect({ step, canBeAborted }).toEqual({ step, canBeAborted: step === 'Settle' ? 0 : 1 })
      await next.click()
    }
    await settlement.getByRole('heading', { name: /SETTLED/ }).waitFor()
    expect(await settlement.getByRole('button').count()).toBe(0)
    expect(await position(scheme.operator, 'greenbank')).toBe(0)
    await screenshot(page, 'settlement')
  },
  patience_ms,
)

test('finds a failed payment and tells why it failed', async () => {
  const { transferId, request } = newTransfer(payer, payee, { amount: '10001' })
  await payer.send('POST', '/transfers', request)
  await payer.await(about(transferId, 'PUT', true))
  await go('/payments')
  await page.getByLabel('State').selectOption('ABORTED')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('link', { name: transferId }).click()
  await page
    .getByText(/greenbank owed \S+ USD; with 10001 more it would be \S+, and its cover was \S+/)
    .first()
    .waitFor()
  await page.getByText('ledger: REFUSED').waitFor()
  await screenshot(page, 'story-refused')
})

test('shows what could not be delivered, and sends it again', async () => {
  payer.answerWith(({ method }) => (method === 'PUT' ? 404 : 200))
  payee.answerWith(({ method }) => (method === 'POST' ? 400 : 200))
  const { transferId, request } = newTransfer(payer, payee)
  await payer.send('POST', '/transfers', request)
  await payee.await(about(transferId, 'POST'))
  await go('/dead-letters')
  const row = page.getByRole('row', { name: new RegExp(transferId) })
  await row.waitFor()
  await screenshot(page, 'failed-deliveries')
  payee.answerWith(() => 202)
  payer.answerWith(() => 200)
  await row.getByRole('button', { name: 'Send again' }).click()
  await row.waitFor({ state: 'detached' })
  const isRequest = about(transferId, 'POST')
  const after = payee.received.findIndex(isRequest) + 1
  await payee.await(isRequest, { after })
})

test(
  'tells the whole way of a payment, and can be used on a phone in the dark',
  async () => {
    const transferId = await pay('1')
    await go(`/payments/${transferId}`)
    await page.getByText('transfers: COMMITTED').waitFor()
    await page.getByText(/was told of TransferCommittedFulfiled/).waitFor()
    await screenshot(page, 'story-paid')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 375, height: 800 })
    const views = ['/participants', '/participants/greenbank', '/payments', '/settlements']
    for (const view of [`/payments/${transferId}`, ...views, '/approvals', '/dead-letters', '/']) {
      await go(view)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect({ view, isTooWide: await page.evaluate<boolean>(isTooWide) }).toEqual({
        view,
        isTooWide: false,
      })
    }
    await page.getByText('Payments a second', { exact: true }).waitFor()
    await screenshot(page, 'phone-overview')
    await go(`/payments/${transferId}`)
    await page.getByText('transfers: COMMITTED').waitFor()
    await screenshot(page, 'phone-story')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
  },
  patience_ms,
)

test('every field and button has a name, and the keyboard reaches them', async () => {
  for (const view of [
    '/',
    '/participants',
    '/participants/greenbank',
    '/payments',
    '/settlements',
  ]) {
    await go(view)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const nameless = await page.evaluate<string[]>(namelessElements)
    expect({ view, nameless }).toEqual({ view, nameless: [] })
  }
  await page.goto('about:blank')
  await go('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Tab')
  const focused = await page.evaluate<string>('document.activeElement.textContent')
  expect(focused).toBe('Skip to the content')
})

test('the page loads nothing from elsewhere and runs nothing inline', async () => {
  const answer = await page.goto(`${scheme.hub.urls.operator}/console/`)
  const policy = answer?.headers()['content-security-policy'] ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toContain('unsafe')
  expect(complaints).toEqual([])
})
