/** The console in a real browser: what an operator does there is done, and what is shown is so. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { makeCsr } from '@causeway/pki'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { barriers, browserStart_ms, isTooWide, openBrowser, screenshot } from './hub/browser.ts'
import {
  consoleAt,
  consoleViews,
  newOperator,
  pressAndConfirm,
  pressUntil,
  settlementSteps,
  stepsRefused,
  stepsShown,
  type Console,
} from './hub/console.ts'
import type { Fsp } from './hub/fsp.ts'
import { account, position } from './hub/operator.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, committed, newTransfer } from './hub/transfer.ts'

let browser: Browser
let scheme: Scheme
let payer: Fsp
let payee: Fsp
let operators: Console
let page: Page

/** Of a story with much to press, on a machine with much to do. */
const story_ms = 400_000

beforeAll(async () => {
  scheme = await openPatiently()
  payer = await scheme.join('greenbank')
  payee = await scheme.join('bluewallet', { netDebitCap: '500' })
  browser = await openBrowser()
  operators = consoleAt(scheme.hub.urls.operator, browser)
  page = await operators.openPage()
  const ada = await newOperator(scheme.operator, 'ada', ['administrator'])
  await operators.enter(page, ada, 'correct horse battery')
}, browserStart_ms + story_ms)

afterAll(async () => {
  // What did not come up cannot be stopped, and hides what went wrong.
  await (browser as Browser | undefined)?.close()
  await (scheme as Scheme | undefined)?.stop()
})

/** A machine with too much to do may give a hub no time to start; it has a moment's peace later. */
async function openPatiently(tries = 3): Promise<Scheme> {
  try {
    return await openSchemeOfFsps({
      OPERATOR_IDENTITY: 'token',
      NOTIFICATIONS_RETRY_FIRST_MS: '100',
    })
  } catch (error) {
    if (tries === 1 || !String(error).includes('the hub did not start')) throw error
    return openPatiently(tries - 1)
  }
}

const go = (view: string, at = page) => operators.go(at, view)

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
  const stranger = await operators.openPage()
  const refused = stranger.getByRole('alert').filter({ hasText: /^3000 / })
  await operators.logIn(stranger, { name: 'ada', secret: 'a guess' }, refused)
  expect(await stranger.getByRole('link', { name: 'Participants' }).count()).toBe(0)
  expect(await barriers(stranger)).toEqual([])
  await screenshot(stranger, 'log-in')
  await operators.logIn(stranger, { name: 'ada', secret: 'correct horse battery' })
  await stranger.getByRole('button', { name: 'Log out' }).click()
  await stranger.getByRole('button', { name: 'Log in' }).waitFor()
  await stranger.context().close()
})

test(
  'a new FSP takes two people: who asked for it cannot approve it',
  async () => {
    const [maker, checker] = await Promise.all([operators.openPage(), operators.openPage()])
    await operators.enter(
      maker,
      await newOperator(scheme.operator, 'mary', ['maker', 'checker']),
      'seven quiet lanterns',
    )
    await operators.enter(
      checker,
      await newOperator(scheme.operator, 'chris', ['checker']),
      'eleven slow harbours',
    )
    await maker.getByRole('link', { name: 'Participants' }).click()
    const form = maker.getByRole('region', { name: 'A new FSP' })
    await form.getByLabel('Name').fill('redbank')
    await form.getByLabel('Net debit cap').fill('750')
    await form.getByLabel('Callback address').fill(payer.url)
    await form.getByRole('button', { name: 'Ask for approval' }).click()
    await form.getByRole('status').waitFor()
    expect(await maker.getByRole('row', { name: /^redbank/ }).count()).toBe(0)

    await maker.getByRole('link', { name: 'Approvals', exact: true }).click()
    const own = maker.getByRole('row', { name: /redbank joins the scheme/ })
    await own.getByText('You asked for it; another person decides.').waitFor()
    expect(await own.getByRole('button').count()).toBe(0)

    await checker.getByRole('link', { name: 'Participants' }).click()
    await checker.getByRole('row', { name: /^greenbank/ }).waitFor()
    // Who may only approve is not shown what he may not do.
    expect(await checker.getByRole('region', { name: 'A new FSP' }).count()).toBe(0)
    await checker.getByRole('link', { name: 'Approvals', exact: true }).click()
    const waiting = checker.getByRole('row', { name: /redbank joins the scheme/ })
    await waiting.getByText('mary').waitFor()
    await screenshot(checker, 'approvals')
    await waiting.getByRole('button', { name: 'Approve' }).click()
    await checker.getByRole('dialog').getByText('redbank joins the scheme').waitFor()
    expect(await barriers(checker)).toEqual([])
    await screenshot(checker, 'approval')
    await checker.getByRole('button', { name: 'Approve now' }).click()
    await checker.getByText('Nothing waits for a decision.').waitFor()
    const { status } = await scheme.operator.call('GET', '/participants/redbank')
    expect(status).toBe(200)
    await Promise.all([maker.context().close(), checker.context().close()])
  },
  story_ms,
)

test('shows who takes part, and how much of its limit each has used', async () => {
  await pay('120')
  await go('/participants')
  const row = page.getByRole('row', { name: /^greenbank/ })
  await row.getByText('ACTIVE', { exact: true }).waitFor()
  const bar = /USD: position 120\.00, limit 10 000\.00, cover 10 000\.00/
  await row.getByRole('img', { name: bar }).waitFor()
  expect(await row.getByRole('img', { name: bar }).count()).toBe(1)
  await screenshot(page, 'participants')
})

test(
  'takes funds in, holds funds that go out, and pays them or gives them back',
  async () => {
    await go('/participants/bluewallet/funds')
    const record = async (direction: string, amount: string, reference: string) => {
      const form = page.getByRole('region', { name: 'Record funds' })
      await form.getByLabel('Direction').selectOption(direction)
      await form.getByLabel('Amount').fill(amount)
      await form.getByLabel('Bank’s reference').fill(reference)
      await form.getByLabel('Reason').fill('as agreed')
      await pressAndConfirm(form.getByRole('button', { name: 'Record funds' }), 'Yes, record funds')
      return page.getByRole('row').filter({ hasText: reference })
    }
    const cover = async () => (await account(scheme.operator, 'bluewallet', 'SETTLEMENT')).value
    const deposit = await record('Funds in', '250.75', 'slip 4711')
    await deposit.getByText('COMMITTED').waitFor()
    await deposit.getByText('250.75 USD').waitFor()
    expect(await cover()).toBe(-10_250.75)

    const paid = await record('Funds out, held first', '50.75', 'payout 1')
    await paid.getByText('RESERVED').waitFor()
    await pressAndConfirm(paid.getByRole('button', { name: 'Paid out' }), 'Yes, it was paid')
    await paid.getByText('COMMITTED').waitFor()
    expect(await cover()).toBe(-10_200)

    const kept = await record('Funds out, held first', '200', 'payout 2')
    await pressAndConfirm(kept.getByRole('button', { name: 'Give back' }), 'Yes, give it back')
    await kept.getByText('ABORTED REJECTED').waitFor()
    expect(await cover()).toBe(-10_200)
    const tooMuch = await record('Funds out, held first', '99999', 'payout 3')
    await tooMuch.getByText('COVER_SHORT').waitFor()
    await screenshot(page, 'funds')
  },
  story_ms,
)

test(
  'closes a window and settles it, with the buttons that the state allows, and saves the report',
  async () => {
    await pay('30')
    await go('/settlements')
    await pressAndConfirm(page.getByRole('button', { name: /^Close window/ }), 'Close it')
    const begin = page.getByRole('button', { name: 'Settle under DEFERREDNETUSD' })
    await pressAndConfirm(begin, 'Begin settlement')
    await page.getByRole('heading', { name: 'Settlement 1' }).waitFor()
    const words = settlementSteps.map(([word]) => word)
    for (const step of words) {
      const next = page.getByRole('button', { name: `${step} settlement 1` })
      await next.waitFor()
      // The one that was taken last may be told again; all others are refused.
      const others = words.filter(
        (word) => word !== step && word !== words[words.indexOf(step) - 1],
      )
      const shown = await stepsShown(page)
      const refused = await stepsRefused(scheme.operator, 1, others)
      expect({ step, shown, refused }).toEqual({ step, shown: [step], refused: others })
      const canBeAborted = await page.getByRole('button', { name: /^Abort/ }).count()
      expect({ step, canBeAborted }).toEqual({ step, canBeAborted: step === 'Settle' ? 0 : 1 })
      await pressAndConfirm(next, step)
    }
    const nets = page.getByRole('region', { name: 'Who owes what' })
    await nets.getByText('SETTLED').nth(1).waitFor()
    expect(await nets.getByRole('button').count()).toBe(0)
    expect(await position(scheme.operator, 'greenbank')).toBe(0)
    await screenshot(page, 'settlement')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Report as CSV' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('settlement-1.csv')
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(lines).toHaveLength(3)
    // Their order is that of their ids.
    const paid = lines.slice(1).map((line) => /greenbank,bluewallet,(\d+),USD/.exec(line)?.[1])
    expect(new Set(paid)).toEqual(new Set(['120', '30']))
  },
  story_ms,
)

test(
  'follows a failed payment from the search to the reason, and back',
  async () => {
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
    // The search is still there, for its address says it.
    await page.goBack()
    await page.getByRole('link', { name: transferId }).waitFor()
    expect(await page.getByLabel('State').inputValue()).toBe('ABORTED')
  },
  story_ms,
)

test(
  'shows what could not be delivered, and sends it again',
  async () => {
    payer.answerWith(({ method }) => (method === 'PUT' ? 404 : 200))
    payee.answerWith(({ method }) => (method === 'POST' ? 400 : 200))
    const { transferId, request } = newTransfer(payer, payee)
    await payer.send('POST', '/transfers', request)
    await payee.await(about(transferId, 'POST'))
    await go('/dead-letters')
    const row = page.getByRole('row').filter({ hasText: transferId })
    await row.waitFor()
    await screenshot(page, 'failed-deliveries')
    payee.answerWith(() => 202)
    payer.answerWith(() => 200)
    await row.getByRole('button', { name: 'Send again' }).click()
    await row.waitFor({ state: 'detached' })
    const isRequest = about(transferId, 'POST')
    const after = payee.received.findIndex(isRequest) + 1
    expect((await payee.await(isRequest, { after })).json()).toEqual(request)
  },
  story_ms,
)

test(
  'shows standing alarms, and changes limits, warnings and who is told',
  async () => {
    await go('/alarms')
    await page.getByRole('row', { name: /^greenbank LIMIT/ }).waitFor()
    const mail = page.getByRole('region', { name: 'Who is told by e-mail' })
    await mail.getByLabel('E-mail address').fill('risk@hub.example')
    await mail.getByRole('button', { name: 'Set address' }).click()
    await mail.getByRole('row').filter({ hasText: 'risk@hub.example' }).waitFor()
    await screenshot(page, 'alarms')
    await page
      .getByRole('row', { name: /^bluewallet/ })
      .getByRole('link', { name: /^Change/ })
      .click()
    const limits = page.getByRole('region', { name: 'Limits and warnings' })
    await limits.getByLabel('Net debit cap').fill('600.5')
    await limits.getByLabel('Warn when % remain').fill('25')
    await pressAndConfirm(limits.getByRole('button', { name: 'Set limit' }), 'Yes, set limit')
    await limits.getByRole('row', { name: /600\.50 USD 25 %/ }).waitFor()
    const { json } = await scheme.operator.call('GET', '/participants/bluewallet/limits')
    expect(json).toEqual([
      { currency: 'USD', limit: { type: 'NET_DEBIT_CAP', value: 600.5, alarmPercentage: 25 } },
    ])
  },
  story_ms,
)

test(
  'adds and ends keys, certifies a request, and shows a secret once',
  async () => {
    await go('/participants/greenbank/keys')
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await page.getByLabel('Key id').fill('first')
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    await page.getByRole('textbox', { name: 'Public key' }).fill(pem)
    await page.getByRole('button', { name: 'Add key' }).click()
    const key = page.getByRole('row', { name: /^first/ })
    await key.getByText('VALID').waitFor()
    await pressAndConfirm(key.getByRole('button', { name: 'End' }), 'End key')
    await key.getByText('ENDED').waitFor()

    const names = { dns: ['localhost'], ip: [] }
    const subject = { commonName: 'greenbank', organization: undefined }
    await page.getByLabel('Certificate signing request').fill(makeCsr({ subject, names }).csr)
    const certificate = page.getByText('BEGIN CERTIFICATE').first()
    await pressUntil(page.getByRole('button', { name: 'Certify' }), certificate)
    await screenshot(page, 'keys')

    await page.getByRole('button', { name: 'New secret' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Make it' }).click()
    expect(await dialog.getByLabel('Client secret', { exact: true }).textContent()).toMatch(
      /\S{20}/,
    )
    await page.keyboard.press('Escape')
    // Gone from the page, not only out of sight.
    await page.getByLabel('Client secret', { exact: true }).waitFor({ state: 'detached' })
    expect(await dialog.count()).toBe(0)
  },
  story_ms,
)

test(
  'makes an operator and a role, changes what he may do, and puts him out',
  async () => {
    await go('/operators')
    const form = page.getByRole('region', { name: 'A new operator' })
    await form.getByLabel('Name').fill('vera')
    await form.getByLabel('viewer').check()
    await form.getByRole('button', { name: 'Make operator' }).click()
    const secret = (await form.getByLabel('Password').textContent()) ?? ''
    const vera = await operators.openPage()
    await operators.enter(vera, { name: 'vera', secret }, 'nine patient otters')
    await vera.getByRole('link', { name: 'Operators' }).waitFor()

    await page.getByRole('button', { name: 'New role' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Short name').fill('auditor')
    await dialog.getByLabel('What it is called').fill('Auditor')
    await dialog.getByLabel('VIEW_AUDIT').check()
    await dialog.getByRole('button', { name: 'Save role' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page
      .getByRole('row', { name: /^auditor/ })
      .getByText('VIEW_AUDIT')
      .waitFor()

    const row = page.getByRole('row', { name: /^vera/ })
    await row.getByRole('button', { name: 'Roles' }).click()
    await dialog.getByLabel('viewer').uncheck()
    await dialog.getByLabel('auditor').check()
    await dialog.getByRole('button', { name: 'Change roles' }).click()
    await row.getByText('auditor').waitFor()
    await screenshot(page, 'operators')
    await operators.logIn(vera, { name: 'vera', secret: 'nine patient otters' })
    await vera.getByRole('link', { name: 'Audit' }).waitFor()
    expect(await vera.getByRole('link', { name: 'Operators' }).count()).toBe(0)

    await row.getByRole('button', { name: 'New password' }).click()
    await dialog.getByRole('button', { name: 'Make it' }).click()
    await dialog.getByLabel('Password').waitFor()
    await page.keyboard.press('Escape')
    await pressAndConfirm(row.getByRole('button', { name: 'Disable' }), 'Disable now')
    await row.getByText('INACTIVE').waitFor()
    await vera.reload()
    await vera.getByText('Your session has ended.').waitFor()
    await vera.context().close()
  },
  story_ms,
)

test('tells who did what, and what it changed', async () => {
  await go('/operators')
  await page.getByRole('row', { name: /^vera/ }).waitFor()
  await go('/audit')
  await page.getByLabel('Subject').fill('operators/vera')
  await page.getByLabel('Who').fill('ada')
  await page.getByRole('button', { name: 'Search' }).click()
  const disabled = page.getByRole('row').filter({ hasText: 'UpdateOperator' }).first()
  await disabled.getByText('isActive: true → false').waitFor()
  expect(await page.getByRole('row').filter({ hasText: 'recordFundsIn' }).count()).toBe(0)
  await screenshot(page, 'audit')
  await page.getByRole('button', { name: 'Verify the log' }).click()
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await page.getByText(/^All \d+ entries are whole\.$/).waitFor()
  await page.keyboard.press('Escape')
})

test('saves the transfers of an FSP in a window', async () => {
  await go('/participants/greenbank/files')
  await page.getByLabel('Settlement window').selectOption('1 SETTLED')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as JSON' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('reconciliation-greenbank-window-1.json')
  const saved = JSON.parse(readFileSync(await file.path(), 'utf8')) as {
    readonly participant: string
    readonly transfers: readonly { readonly amount: number }[]
  }
  expect(saved.participant).toBe('greenbank')
  expect(new Set(saved.transfers.map(({ amount }) => amount))).toEqual(new Set([120, 30]))
})

/** In each view nothing runs out of the page, and nothing stands in anybody's way. */
async function lookThrough(at: Page, form: string): Promise<void> {
  for (const [name, view] of consoleViews(await pay('1'))) {
    await go(view, at)
    const found = { view, isTooWide: await isTooWide(at), barriers: await barriers(at) }
    expect(found).toEqual({ view, isTooWide: false, barriers: [] })
    await screenshot(at, `${form}-${name}`)
  }
}

test('each view can be used by everybody, at a desk', () => lookThrough(page, 'desk'), story_ms)

test(
  'each view can be used by everybody, on a phone in the dark',
  async () => {
    const phone = await operators.openPage()
    await phone.setViewportSize({ width: 390, height: 844 })
    await phone.emulateMedia({ colorScheme: 'dark' })
    await operators.logIn(phone, { name: 'ada', secret: 'correct horse battery' })
    await lookThrough(phone, 'phone-dark')
    await phone.getByRole('button', { name: 'Menu' }).click()
    await phone.getByRole('link', { name: 'Participants' }).click()
    await phone.getByRole('heading', { name: 'Participants' }).waitFor()
    expect(await phone.getByRole('link', { name: 'Audit' }).isVisible()).toBe(false)
    await phone.context().close()
  },
  story_ms,
)

test('the keyboard is enough: it skips, opens, answers and comes back', async () => {
  await page.goto('about:blank')
  await go('/settlements')
  await page.keyboard.press('Tab')
  const focused = () => page.evaluate<string>('document.activeElement.textContent')
  expect(await focused()).toBe('Skip to the content')
  const close = page.getByRole('button', { name: /^Close window/ })
  await close.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await focused()).toMatch(/^Close window/)
  await page.getByRole('link', { name: 'Approvals', exact: true }).press('Enter')
  await page.getByRole('heading', { name: 'Pending approvals' }).waitFor()
  expect(await focused()).toBe('Pending approvals')
})

test('the page loads nothing from elsewhere and runs nothing inline', async () => {
  const answer = await page.goto(`${scheme.hub.urls.operator}/console/`)
  const policy = answer?.headers()['content-security-policy'] ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toContain('unsafe')
  expect(operators.complaints).toEqual([])
})
