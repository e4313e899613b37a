/**
 * The console in a real browser: an operator follows a consent to the payment made under it, and
 * back.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { browserStart_ms, faultsOf, story_ms } from './parties/browser.ts'
import { openConsole, type Console, type OpenConsole } from './parties/console.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import {
  linkedAt,
  openDfsp,
  openPayee,
  openPisp,
  paymentFrom,
  type TestParticipant,
} from './parties/third-party.ts'

let scheme: Scheme
let participants: readonly TestParticipant[] = []
let opened: OpenConsole
let operators: Console
let page: Page
let consentId: string
let transactionRequestId: string

beforeAll(async () => {
  scheme = await openSchemeOfFsps({ OPERATOR_IDENTITY: 'token' })
  const pisp = await openPisp(scheme, 'lemonpay')
  const dfsp = await openDfsp(scheme, 'greenbank')
  const payee = await openPayee(scheme, 'bluewallet')
  participants = [pisp, dfsp, payee]
  const linked = await linkedAt(pisp, dfsp)
  consentId = linked.consentId
  const paid = await pisp.fsp.pisp.pay(paymentFrom(dfsp, linked.device))
  expect(paid).toMatchObject({ state: 'COMPLETED' })
  transactionRequestId = paid.transactionRequestId
  opened = await openConsole(scheme)
  ;({ operators, page } = opened)
}, browserStart_ms + story_ms)

afterAll(async () => {
  // A part that did not start cannot be stopped; an error here would hide the cause.
  await (opened as OpenConsole | undefined)?.close()
  await Promise.all(participants.map((each) => each.stop()))
  await (scheme as Scheme | undefined)?.stop()
})

test(
  'The console finds a consent and shows its history and the payments under it',
  async () => {
    await operators.go(page, '/consents')
    await page.getByRole('row').filter({ hasText: 'lemonpay' }).getByRole('link').first().click()
    await page.getByRole('heading', { name: `Consent ${consentId}` }).waitFor()
    const history = page.getByRole('table', { name: 'History, newest first' })
    for (const event of ['CREDENTIAL VERIFIED', 'OWNERSHIP CONFIRMED', 'SIGNATURE VERIFIED']) {
      await history.getByText(event).waitFor()
    }
    const payments = page.getByRole('table', { name: 'Payments, newest first' })
    await payments.getByRole('row').filter({ hasText: transactionRequestId }).waitFor()
    expect(await payments.getByRole('row').count()).toBe(2)
    expect(await faultsOf(page, 'consent-with-payment')).toEqual([])
  },
  story_ms,
)

test(
  'The console finds requests of PISPs by PISP, DFSP and state, and leads to the story of one',
  async () => {
    await operators.go(page, '/third-party')
    const requests = page.getByRole('table', { name: 'Requests of PISPs, newest first' })
    const row = requests.getByRole('row').filter({ hasText: transactionRequestId })
    const form = page.getByRole('search')
    const search = async (fields: Readonly<Record<string, string>>, state: string) => {
      for (const [label, value] of Object.entries(fields)) {
        await form.getByLabel(label).fill(value)
      }
      await form.getByLabel('State').selectOption(state)
      await form.getByRole('button', { name: 'Search' }).click()
    }
    await search({ PISP: 'greenbank', DFSP: 'lemonpay' }, '')
    await page.getByText('No third-party payment was found.').waitFor()
    await search({ PISP: 'lemonpay', DFSP: 'greenbank' }, 'REJECTED')
    await page.waitForURL(/REJECTED/)
    await page.getByText('No third-party payment was found.').waitFor()
    await search({ PISP: 'lemonpay', DFSP: 'greenbank' }, 'ACCEPTED')
    await row.getByText('ACCEPTED').waitFor()
    await row.getByRole('link', { name: consentId }).waitFor()
    expect(await faultsOf(page, 'third-party-payments')).toEqual([])
    await row.getByRole('link', { name: transactionRequestId }).click()
    await page.getByRole('heading', { name: 'Story of a third-party payment' }).waitFor()
    await page.goBack()
    await row.getByText('ACCEPTED').waitFor()
    expect(await requests.getByRole('row').count()).toBe(2)
  },
  story_ms,
)

test(
  'The console shows a payment of a PISP by its request and by its transfer',
  async () => {
    await operators.go(page, `/consents/${consentId}`)
    await page.getByRole('link', { name: transactionRequestId }).click()
    await page.getByRole('heading', { name: 'Story of a third-party payment' }).waitFor()
    // On a busy machine the PISP may have sent the request twice.
    await page.getByText('lemonpay asks greenbank to pay for its user').first().waitFor()
    expect(await faultsOf(page, 'third-party-story')).toEqual([])
    await page.getByRole('link', { name: /^Payment / }).click()
    await page.getByRole('heading', { name: 'Story of a payment' }).waitFor()
    const thirdParty = page.getByRole('region', { name: 'Third party' })
    await thirdParty.getByRole('link', { name: 'lemonpay' }).waitFor()
    await thirdParty.getByRole('link', { name: consentId }).waitFor()
    for (const text of [
      'greenbank reported ACCEPTED to lemonpay.',
      'The user of lemonpay has signed the terms',
      'centralAuth answers: the signature is VERIFIED',
    ]) {
      await page.getByText(text).first().waitFor()
    }
    expect(await faultsOf(page, 'story-with-third-party')).toEqual([])
    await thirdParty.getByRole('link', { name: consentId }).click()
    await page.getByRole('heading', { name: `Consent ${consentId}` }).waitFor()
    expect(operators.complaints).toEqual([])
  },
  story_ms,
)
