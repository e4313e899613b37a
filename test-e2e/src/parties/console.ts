/**
 * The console as an operator uses it: log-in, navigation and buttons on pages of a real browser.
 */
import type { Browser, Locator, Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { answered, type Operator } from '../operator/operator.ts'
import type { Scheme } from '../hub/scheme.ts'

/** How long a busy machine may take for one step; a step that is done does not wait. */
const timeout_ms = 60_000

export interface Credentials {
  readonly name: string
  readonly secret: string
}

export interface Console {
  /** A browser context of its own; its errors are recorded. */
  openPage(): Promise<Page>
  /** Logs in; `effect` is text that appears then. */
  logIn(at: Page, credentials: Credentials, effect?: Locator): Promise<void>
  /** The first log-in, at which the password must be changed. */
  enter(at: Page, credentials: Credentials, password: string): Promise<void>
  /** Opens a view and waits until it shows the expected content. */
  go(at: Page, view: string): Promise<void>
  /** Errors of scripts, and what the page's content security policy blocked. */
  readonly complaints: readonly string[]
}

const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

export function consoleAt(url: string, browser: Browser): Console {
  const complaints: string[] = []
  const logIn: Console['logIn'] = async (at, { name, secret }, effect = overview(at)) => {
    await at.goto(`${url}/console/`)
    await at.getByLabel('Name').fill(name)
    await at.getByLabel('Password').fill(secret)
    await pressUntil(at.getByRole('button', { name: 'Log in' }), effect)
  }
  return {
    complaints,
    logIn,
    openPage: async () => {
      const opened = await (await browser.newContext()).newPage()
      opened.setDefaultTimeout(timeout_ms)
      opened.on('pageerror', (error) => complaints.push(error.message))
      opened.on('console', (message) => {
        if (message.text().includes('Content Security Policy')) complaints.push(message.text())
      })
      return opened
    },
    enter: async (at, credentials, password) => {
      await logIn(at, credentials, at.getByLabel('Current password'))
      await at.getByLabel('Current password').fill(credentials.secret)
      await at.getByLabel('New password').fill(password)
      await pressUntil(at.getByRole('button', { name: 'Change password' }), overview(at))
    },
    go: async (at, view) => {
      await at.goto(`${url}/console/#${view}`)
      // The previous view may still be visible: the page handles its new address after this.
      await at.evaluate(twoFrames)
      await at.getByRole('heading', { level: 1 }).waitFor()
      await at.locator('.loading').first().waitFor({ state: 'detached' })
    },
  }
}

export interface OpenConsole {
  readonly operators: Console
  /** On which the administrator ada has logged in. */
  readonly page: Page
  close(): Promise<void>
}

/** The password of ada. */
export const adaPassword = 'correct horse battery'

/** The console of a hub with OPERATOR_IDENTITY=token, in a browser of its own. */
export async function openConsole({ hub, operator }: Scheme): Promise<OpenConsole> {
  const browser = await openBrowser()
  const operators = consoleAt(hub.urls.operator, browser)
  const page = await operators.openPage()
  await operators.enter(page, await newOperator(operator, 'ada', ['administrator']), adaPassword)
  return { operators, page, close: () => browser.close() }
}

const overview = (at: Page) => at.getByRole('heading', { name: 'Overview' })

/**
 * Presses until the effect appears: a busy hub answers that the request is to be repeated later.
 */
export async function pressUntil(button: Locator, effect: Locator): Promise<void> {
  const busy = button.page().getByRole('alert').filter({ hasText: /^2003/ })
  for (;;) {
    await button.click()
    await effect.or(busy).first().waitFor()
    if (await effect.isVisible()) return
  }
}

/** An operator who has not logged in yet; hashing a password is expensive, too. */
export async function newOperator(
  operator: Operator,
  name: string,
  roles: readonly string[],
): Promise<Credentials> {
  for (;;) {
    const answer = await operator.call('POST', '/operators', { name, roles })
    if (answer.status !== 503) return answered<Credentials>(Promise.resolve(answer))
  }
}

/** Presses a button, then the button of the confirmation that it opens. */
export async function pressAndConfirm(button: Locator, answer: string): Promise<void> {
  await button.click()
  const dialog = button.page().getByRole('dialog')
  await dialog.getByRole('button', { name: answer }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** The labels of a settlement's step buttons, in order, and the states that they lead to. */
export const settlementSteps = [
  ['Record', 'PS_TRANSFERS_RECORDED'],
  ['Reserve', 'PS_TRANSFERS_RESERVED'],
  ['Commit', 'PS_TRANSFERS_COMMITTED'],
  ['Settle', 'SETTLED'],
] as const

/** The labels of all step buttons on the page. */
export async function stepsShown(page: Page): Promise<readonly string[]> {
  const words: readonly string[] = settlementSteps.map(([word]) => word)
  const labels = await page.getByRole('main').getByRole('button').allTextContents()
  const first = labels.map((label) => label.split(' ')[0] ?? '')
  return [...new Set(first)].filter((word) => words.includes(word))
}

interface Shown {
  readonly participants: readonly {
    readonly id: number
    readonly accounts: readonly { readonly id: number; readonly errorInformation?: unknown }[]
  }[]
}

/** The steps that the API refuses for the first account of a settlement. */
export async function stepsRefused(
  operator: Operator,
  settlementId: number,
  words: readonly string[],
): Promise<readonly string[]> {
  const path = `/v2/settlements/${settlementId}`
  const { participants } = await answered<Shown>(operator.call('GET', path))
  const { id = 0, accounts = [] } = participants[0] ?? {}
  const accountPath = `${path}/participants/${id}/accounts/${accounts[0]?.id ?? 0}`
  const refused: string[] = []
  for (const [word, state] of settlementSteps.filter(([word]) => words.includes(word))) {
    const step = { state, reason: 'a test' }
    const answer = await answered<Shown>(operator.call('PUT', accountPath, step))
    if (answer.participants[0]?.accounts[0]?.errorInformation !== undefined) refused.push(word)
  }
  return refused
}

/** Every kind of view with its name and address, empty views included. */
export function consoleViews(
  transferId: string,
): readonly (readonly [name: string, view: string])[] {
  const greenbank = '/participants/greenbank'
  return [
    ['overview', '/'],
    ['participants', '/participants'],
    ['payments', '/payments'],
    ['story', `/payments/${transferId}`],
    ['third-party-payments', '/third-party'],
    ['settlements', '/settlements'],
    ['settlement', '/settlements/1'],
    ['reports', '/reports'],
    ['approvals', '/approvals'],
    ['configuration', '/configuration'],
    ['crypto-keys', '/keys'],
    ['component-keys', '/component-keys'],
    ['failed-deliveries', '/dead-letters'],
    ['alarms', '/alarms'],
    ['operators', '/operators'],
    ['audit', '/audit'],
    ['log', '/log'],
    ['security-keys', '/security-keys'],
    ['participant', greenbank],
    ['funds', `${greenbank}/funds`],
    ['settings', `${greenbank}/settings`],
    ['keys', `${greenbank}/keys`],
    ['files', `${greenbank}/files`],
    ['certification', `${greenbank}/certifications`],
    ['unknown', '/participants/nobody'],
    ['nowhere', '/nowhere'],
  ]
}
