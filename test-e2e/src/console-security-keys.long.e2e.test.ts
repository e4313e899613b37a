/**
 * Security keys in the console, in a real browser with a virtual authenticator: an approver must
 * have one, logs in with it, and signs each approval.
 */
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { browserStart_ms, faultsOf, openBrowser, story_ms } from './parties/browser.ts'
import {
  consoleAt,
  newOperator,
  pressAndConfirm,
  pressUntil,
  type Console,
  type Credentials,
} from './parties/console.ts'
import { answered, personWith } from './operator/operator.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'

let browser: Browser
let scheme: Scheme
let operators: Console
let checker: Page

interface AuditPage {
  readonly entries: readonly { readonly after: { readonly transactionId: string } }[]
}

const auditQuery = '/audit?userId=chris&actionType=AuthorizeWithFido'
const password = 'correct horse battery'

beforeAll(async () => {
  scheme = await openSchemeOfFsps({
    OPERATOR_IDENTITY: 'token',
    AUTH_SERVICE_FIDO_REQUIRED: 'approval',
  })
  browser = await openBrowser()
  // The relying party of a key is a domain, never an address.
  const url = new URL(scheme.hub.urls.operator)
  url.hostname = 'localhost'
  operators = consoleAt(url.origin, browser)
  checker = await openPageWithKey()
}, browserStart_ms + story_ms)

afterAll(async () => {
  // A part that did not start cannot be stopped; an error here would hide the cause.
  await (browser as Browser | undefined)?.close()
  await (scheme as Scheme | undefined)?.stop()
})

/** A browser context of its own, with an authenticator that verifies its user. */
async function openPageWithKey(): Promise<Page> {
  const page = await operators.openPage()
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return page
}

/** The first log-in: changes the password, registers a key, and logs in with both. */
async function enterWithKey(at: Page, credentials: Credentials): Promise<void> {
  const { name } = credentials
  await operators.logIn(at, credentials, at.getByLabel('Current password'))
  await at.getByLabel('Current password').fill(credentials.secret)
  await at.getByLabel('New password').fill(password)
  await pressUntil(
    at.getByRole('button', { name: 'Change password' }),
    at.getByLabel('Name of the key'),
  )
  await registerAndEnter(at, name)
}

async function registerAndEnter(at: Page, name: string): Promise<void> {
  await at.getByLabel('Name of the key').fill(`key of ${name}`)
  await at.getByRole('button', { name: 'Register key' }).click()
  await at.getByText('Your key is registered. Log in with it.').waitFor()
  await operators.logIn(
    at,
    { name, secret: password },
    at.getByRole('button', { name: 'Use security key' }),
  )
  await at.getByRole('button', { name: 'Use security key' }).click()
  await at.getByRole('heading', { name: 'Overview' }).waitFor()
}

test(
  'An approver must register a key, then logs in with password and key, or with the key alone',
  async () => {
    await enterWithKey(checker, await newOperator(scheme.operator, 'chris', ['checker']))
    await checker.getByRole('button', { name: 'Log out' }).click()
    await checker.getByRole('button', { name: 'Use a passkey instead' }).waitFor()
    expect(await faultsOf(checker, 'log-in-with-passkey')).toEqual([])
    await checker.getByRole('button', { name: 'Use a passkey instead' }).click()
    await checker.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await checker.getByRole('link', { name: /^chris/ }).count()).toBe(1)
  },
  story_ms,
)

test(
  'The operator sees the key and when it was used, and cannot register it twice',
  async () => {
    await checker.getByRole('link', { name: /^chris/ }).click()
    await checker.getByRole('heading', { name: 'Security keys and sessions' }).waitFor()
    const row = checker.getByRole('row').filter({ hasText: 'key of chris' })
    await row.getByText('alone, or after the password').waitFor()
    expect(await faultsOf(checker, 'security-keys')).toEqual([])
    await checker.getByLabel('Name of the key').fill('the same key')
    await checker.getByRole('button', { name: 'Register key' }).click()
    await checker.getByText('This key is registered already.').waitFor()
    const keys = checker.getByRole('table', { name: 'Security keys, oldest first' })
    expect(await keys.getByRole('row').count()).toBe(2)
  },
  story_ms,
)

test(
  'An approval is signed with the key, and the audit log has the signature',
  async () => {
    const { operator: url } = scheme.hub.urls
    const maker = await personWith(scheme.operator, url, 'mary', ['maker'])
    const state = { name: 'lemonbank', type: 'DFSP', currencies: ['USD'] }
    const { requestId } = await answered<{ readonly requestId: string }>(
      maker.call('POST', '/CreateParticipant', state),
    )
    await operators.go(checker, '/approvals')
    const waiting = checker.getByRole('row', { name: /lemonbank joins the scheme/ })
    await waiting.getByRole('button', { name: 'Approve' }).click()
    await checker.getByRole('button', { name: 'Approve now' }).click()
    await checker.getByText('No pending approvals.').waitFor()
    const signed = await eventually(async () => {
      const { entries } = await answered<AuditPage>(scheme.operator.call('GET', auditQuery))
      return entries.length > 0 ? entries : undefined
    }, 'the signature in the audit log')
    expect(signed.map(({ after }) => after.transactionId)).toEqual([requestId])
  },
  story_ms,
)

test(
  'An administrator resets the key of a colleague, who then has to register one again',
  async () => {
    const page = await openPageWithKey()
    await enterWithKey(page, await newOperator(scheme.operator, 'ada', ['administrator']))
    await operators.go(page, '/operators')
    await pressAndConfirm(
      page.getByRole('button', { name: 'Reset keys of chris' }),
      'Remove all keys',
    )
    await checker.getByRole('button', { name: 'Log in' }).waitFor()
    await operators.logIn(
      checker,
      { name: 'chris', secret: password },
      checker.getByLabel('Name of the key'),
    )
    expect(await faultsOf(checker, 'register-key')).toEqual([])
    await registerAndEnter(checker, 'chris')
    expect(operators.complaints).toEqual([])
    await page.context().close()
  },
  story_ms,
)
