/**
 * The console in a real browser: an operator's actions take effect, and the views show the actual
 * state.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { makeCsr } from '@causeway/pki'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { browserStart_ms, faultsOf, screenshot, story_ms } from './parties/browser.ts'
import {
  adaPassword,
  consoleViews,
  newOperator,
  openConsole,
  pressAndConfirm,
  pressUntil,
  settlementSteps,
  stepsRefused,
  stepsShown,
  type Console,
  type OpenConsole,
} from './parties/console.ts'
import type { Fsp } from './fsp/fsp.ts'
import { account, answered, position, programWith } from './operator/operator.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, committed, newTransfer } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp
let opened: OpenConsole
let operators: Console
let page: Page

beforeAll(async () => {
  scheme = await openPatiently()
  payer = await scheme.join('greenbank')
  payee = await scheme.join('bluewallet', { netDebitCap: '500' })
  opened = await openConsole(scheme)
  ;({ operators, page } = opened)
}, browserStart_ms + story_ms)

afterAll(async () => {
  // A part that did not start cannot be stopped; an error here would hide the cause.
  await (opened as OpenConsole | undefined)?.close()
  await (scheme as Scheme | undefined)?.stop()
})

/** On a busy machine a hub may not start in time; one repeat. */
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

test('Log-in needs the right password, and log-out ends the session', async () => {
  const visitor = await operators.openPage()
  const refused = visitor.getByRole('alert').filter({ hasText: /^3000 / })
  await operators.logIn(visitor, { name: 'ada', secret: 'a guess' }, refused)
  expect(await visitor.getByRole('link', { name: 'Participants' }).count()).toBe(0)
  expect(await faultsOf(visitor, 'log-in')).toEqual([])
  await operators.logIn(visitor, { name: 'ada', secret: adaPassword })
  await visitor.getByRole('button', { name: 'Log out' }).click()
  await visitor.getByRole('button', { name: 'Log in' }).waitFor()
  await visitor.context().close()
})

test(
  'A new FSP needs two operators: its maker cannot approve it',
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
    const form = maker.getByRole('region', { name: 'Add FSP' })
    await form.getByLabel('Name').fill('redbank')
    await form.getByLabel('Net debit cap').fill('750')
    await form.getByLabel('Callback address').fill(payer.url)
    await form.getByRole('button', { name: 'Submit for approval' }).click()
    await form.getByRole('status').waitFor()
    expect(await maker.getByRole('row', { name: /^redbank/ }).count()).toBe(0)

    await maker.getByRole('link', { name: 'Approvals', exact: true }).click()
    const own = maker.getByRole('row', { name: /redbank joins the scheme/ })
    await own.getByText('You requested this change; another operator must decide.').waitFor()
    expect(await own.getByRole('button').count()).toBe(0)

    await checker.getByRole('link', { name: 'Participants' }).click()
    await checker.getByRole('row', { name: /^greenbank/ }).waitFor()
    // An operator who may only approve does not see forms for other changes.
    expect(await checker.getByRole('region', { name: 'Add FSP' }).count()).toBe(0)
    await checker.getByRole('link', { name: 'Approvals', exact: true }).click()
    const waiting = checker.getByRole('row', { name: /redbank joins the scheme/ })
    await waiting.getByText('mary').waitFor()
    await screenshot(checker, 'approvals')
    await waiting.getByRole('button', { name: 'Approve' }).click()
    await checker.getByRole('dialog').getByText('redbank joins the scheme').waitFor()
    expect(await faultsOf(checker, 'approval')).toEqual([])
    await checker.getByRole('button', { name: 'Approve now' }).click()
    await checker.getByText('No pending approvals.').waitFor()
    const { status } = await scheme.operator.call('GET', '/participants/redbank')
    expect(status).toBe(200)
    await Promise.all([maker.context().close(), checker.context().close()])
  },
  story_ms,
)

test('The participants page shows how much of its limit each has used', async () => {
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
  'Funds in are committed at once, funds out are reserved and then paid or released',
  async () => {
    await go('/participants/bluewallet/funds')
    const record = async (direction: string, amount: string, reference: string) => {
      const form = page.getByRole('region', { name: 'Record funds' })
      await form.getByLabel('Direction').selectOption(direction)
      await form.getByLabel('Amount').fill(amount)
      await form.getByLabel('Bank reference').fill(reference)
      await form.getByLabel('Reason').fill('as agreed')
      await pressAndConfirm(form.getByRole('button', { name: 'Record funds' }), 'Yes, record funds')
      return page.getByRole('row').filter({ hasText: reference })
    }
    const cover = async () => (await account(scheme.operator, 'bluewallet', 'SETTLEMENT')).value
    const deposit = await record('Funds in', '250.75', 'slip 4711')
    await deposit.getByText('COMMITTED').waitFor()
    await deposit.getByText('250.75 USD').waitFor()
    expect(await cover()).toBe(-10_250.75)

    const paid = await record('Funds out, reserved first', '50.75', 'payout 1')
    await paid.getByText('RESERVED').waitFor()
    await pressAndConfirm(
      paid.getByRole('button', { name: 'Confirm payout' }),
      'Yes, confirm payout',
    )
    await paid.getByText('COMMITTED').waitFor()
    expect(await cover()).toBe(-10_200)

    const released = await record('Funds out, reserved first', '200', 'payout 2')
    await pressAndConfirm(released.getByRole('button', { name: 'Release' }), 'Yes, release it')
    await released.getByText('ABORTED REJECTED').waitFor()
    expect(await cover()).toBe(-10_200)
    const tooMuch = await record('Funds out, reserved first', '99999', 'payout 3')
    await tooMuch.getByText('COVER_SHORT').waitFor()
    await screenshot(page, 'funds')
  },
  story_ms,
)

test(
  'A window is closed and settled with the buttons that the state allows, and its report is saved',
  async () => {
    await pay('30')
    await go('/settlements')
    await pressAndConfirm(page.getByRole('button', { name: /^Close window/ }), 'Close window')
    const begin = page.getByRole('button', { name: 'Settle under DEFERREDNETUSD' })
    await pressAndConfirm(begin, 'Begin settlement')
    await page.getByRole('heading', { name: 'Settlement 1' }).waitFor()
    const words = settlementSteps.map(([word]) => word)
    const confirmations: string[] = []
    for (const step of words) {
      const next = page.getByRole('button', { name: `${step} settlement 1` })
      await next.waitFor()
      // The step taken last may be repeated; all others are refused.
      const others = words.filter(
        (word) => word !== step && word !== words[words.indexOf(step) - 1],
      )
      const shown = await stepsShown(page)
      const refused = await stepsRefused(scheme.operator, 1, others)
      expect({ step, shown, refused }).toEqual({ step, shown: [step], refused: others })
      const canBeAborted = await page.getByRole('button', { name: /^Abort/ }).count()
      expect({ step, canBeAborted }).toEqual({ step, canBeAborted: step === 'Settle' ? 0 : 1 })
      await next.click()
      confirmations.push(await page.getByRole('dialog').innerText())
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
      await pressAndConfirm(next, step)
    }
    const unpaid = 'What a participant owes is no cover until its funds out are recorded.'
    expect(confirmations[words.indexOf('Reserve')]).toContain(
      'may spend less, by what they are owed',
    )
    expect(confirmations.map((text) => text.includes(unpaid))).toEqual([false, false, true, false])
    const nets = page.getByRole('region', { name: 'Net positions' })
    await nets.getByText(unpaid).waitFor()
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
  'A failed payment is found by a search, and its story shows the reason',
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
    // The search is part of the address, so it is still there.
    await page.goBack()
    await page.getByRole('link', { name: transferId }).waitFor()
    expect(await page.getByLabel('State').inputValue()).toBe('ABORTED')
  },
  story_ms,
)

test(
  'A failed delivery is listed, and can be sent again',
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
  'The alarms page shows active alarms, and limits, thresholds and recipients can be changed',
  async () => {
    await go('/alarms')
    await page.getByRole('row', { name: /^greenbank LIMIT/ }).waitFor()
    const mail = page.getByRole('region', { name: 'E-mail notifications' })
    await mail.getByLabel('E-mail address').fill('risk@hub.example')
    await mail.getByRole('button', { name: 'Set address' }).click()
    await mail.getByRole('row').filter({ hasText: 'risk@hub.example' }).waitFor()
    await screenshot(page, 'alarms')
    await page
      .getByRole('row', { name: /^bluewallet/ })
      .getByRole('link', { name: /^Change/ })
      .click()
    const limits = page.getByRole('region', { name: 'Limits and alarm thresholds' })
    await limits.getByLabel('Net debit cap').fill('600.5')
    await limits.getByLabel('Alarm threshold, % remaining').fill('25')
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
  'Keys are added and ended, a request is certified, and a secret is shown once',
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
    await dialog.getByRole('button', { name: 'Create secret' }).click()
    expect(await dialog.getByLabel('Client secret', { exact: true }).textContent()).toMatch(
      /\S{20}/,
    )
    await page.keyboard.press('Escape')
    // Removed from the page, not only hidden.
    await page.getByLabel('Client secret', { exact: true }).waitFor({ state: 'detached' })
    expect(await dialog.count()).toBe(0)
  },
  story_ms,
)

test(
  'An operator and a role are created, their privileges are changed, and the operator is disabled',
  async () => {
    await go('/operators')
    const form = page.getByRole('region', { name: 'Add operator' })
    await form.getByLabel('Name').fill('vera')
    await form.getByLabel('viewer').check()
    await form.getByRole('button', { name: 'Create operator' }).click()
    const secret = (await form.getByLabel('Password').textContent()) ?? ''
    const vera = await operators.openPage()
    await operators.enter(vera, { name: 'vera', secret }, 'nine patient otters')
    await vera.getByRole('link', { name: 'Operators' }).waitFor()

    await page.getByRole('button', { name: 'New role' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Role id').fill('auditor')
    await dialog.getByLabel('Label').fill('Auditor')
    await dialog.getByLabel('VIEW_AUDIT', { exact: true }).check()
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

    await row.getByRole('link', { name: 'Sessions of vera' }).click()
    await page.getByRole('heading', { name: 'Sessions of vera' }).waitFor()
    await page.getByRole('row').filter({ hasText: '127.0.0.1' }).first().waitFor()
    expect(await faultsOf(page, 'sessions')).toEqual([])
    await pressAndConfirm(page.getByRole('button', { name: 'End all' }), 'End sessions')
    await page.getByText('No open session.').waitFor()
    await vera.reload()
    await vera.getByText('Your session has ended.').waitFor()
    await operators.logIn(vera, { name: 'vera', secret: 'nine patient otters' })
    await vera.getByRole('link', { name: 'vera' }).click()
    await vera.getByRole('heading', { name: 'Security keys and sessions' }).waitFor()
    await vera.getByText('this session').waitFor()
    await go('/operators')

    await row.getByRole('button', { name: 'New password' }).click()
    await dialog.getByRole('button', { name: 'Create password' }).click()
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

test(
  'The keys of components are listed, and one of them is revoked',
  async () => {
    const { operator, hub } = scheme
    const privileges = ['REGISTER_COMPONENT_KEY']
    const role = { labelName: 'Component', description: 'Registers itself.', privileges }
    await answered(operator.call('PUT', '/roles/component', role))
    const program = await programWith(operator, hub.urls.operator, 'pricing', ['component'])
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = publicKey.export({ type: 'spki', format: 'pem' })
    const registration = { boundedContextId: 'pricing', publicKey: pem }
    const { kid } = await answered<{ readonly kid: string }>(
      program.call('POST', '/component-keys', registration),
    )
    await go('/component-keys')
    const row = page.getByRole('row').filter({ hasText: kid })
    expect(await row.getByRole('rowheader').textContent()).toBe('pricing')
    await row.getByText('VALID', { exact: true }).waitFor()
    await row.getByText('no end').waitFor()
    await page
      .getByRole('row', { name: /^quoting/ })
      .getByText('VALID')
      .waitFor()
    expect(await faultsOf(page, 'component-keys')).toEqual([])
    await pressAndConfirm(row.getByRole('button', { name: 'Revoke' }), 'Revoke key')
    await row.getByText('REVOKED', { exact: true }).waitFor()
    await row.getByText('ada', { exact: true }).waitFor()
    expect(await row.getByRole('button').count()).toBe(0)
    const again = await program.call('POST', '/component-keys', registration)
    expect(again.status).toBe(400)
  },
  story_ms,
)

test('The audit page shows who did what, and what it changed', async () => {
  await go('/operators')
  await page.getByRole('row', { name: /^vera/ }).waitFor()
  await go('/audit')
  await page.getByLabel('Subject').fill('operators/vera')
  await page.getByLabel('Actor').fill('ada')
  await page.getByRole('button', { name: 'Search' }).click()
  const disabled = page.getByRole('row').filter({ hasText: 'UpdateOperator' }).first()
  await disabled.getByText('isActive: true → false').waitFor()
  expect(await page.getByRole('row').filter({ hasText: 'recordFundsIn' }).count()).toBe(0)
  await screenshot(page, 'audit')
  await page.getByRole('button', { name: 'Verify the audit log' }).click()
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await page.getByText(/^All \d+ entries are valid\.$/).waitFor()
  await page.keyboard.press('Escape')
})

test('The transfers of an FSP in a window are saved as a file', async () => {
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

/** Checks that no view is wider than the page or has an accessibility barrier. */
async function lookThrough(at: Page, form: string): Promise<void> {
  for (const [name, view] of consoleViews(await pay('1'))) {
    await go(view, at)
    expect([view, ...(await faultsOf(at, `${form}-${name}`))]).toEqual([view])
  }
}

test('Each view is accessible on a desktop', () => lookThrough(page, 'desk'), story_ms)

test(
  'Each view is accessible on a phone in dark mode',
  async () => {
    const phone = await operators.openPage()
    await phone.setViewportSize({ width: 390, height: 844 })
    await phone.emulateMedia({ colorScheme: 'dark' })
    await operators.logIn(phone, { name: 'ada', secret: adaPassword })
    await lookThrough(phone, 'phone-dark')
    await phone.getByRole('button', { name: 'Menu' }).click()
    await phone.getByRole('link', { name: 'Participants' }).click()
    await phone.getByRole('heading', { name: 'Participants' }).waitFor()
    expect(await phone.getByRole('link', { name: 'Audit' }).isVisible()).toBe(false)
    await phone.context().close()
  },
  story_ms,
)

test('The console can be used by keyboard alone, and returns the focus', async () => {
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

test('The page loads nothing from other origins and runs nothing inline', async () => {
  const answer = await page.goto(`${scheme.hub.urls.operator}/console/`)
  const policy = answer?.headers()['content-security-policy'] ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toContain('unsafe')
  expect(operators.complaints).toEqual([])
})
