/**
 * A real browser without a window: the one that CONSOLE_TEST_BROWSER names, else an installed one,
 * else Debian's, which is then installed. Without a browser the story fails with an error that
 * names the remedy.
 */
import axe, { type AxeResults } from 'axe-core'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser, type Page } from 'playwright-core'

const paths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** For a test with many steps, on a busy machine. */
export const story_ms = 400_000
/** Long enough for the browser to be fetched and installed. */
export const browserStart_ms = 400_000
const screenshots = new URL('../../../test-output/console', import.meta.url)

export async function openBrowser(): Promise<Browser> {
  const executablePath = findBrowser() ?? installBrowser()
  return chromium.launch({
    executablePath,
    timeout: browserStart_ms,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  })
}

function findBrowser(): string | undefined {
  const named = process.env['CONSOLE_TEST_BROWSER']
  if (named === undefined || named === '') return paths.find((path) => existsSync(path))
  if (existsSync(named)) return named
  throw new Error(`CONSOLE_TEST_BROWSER=${named} does not exist.`)
}

function installBrowser(): string {
  try {
    const quiet = { stdio: 'ignore', timeout: browserStart_ms } as const
    execFileSync('apt-get', ['update', '-qq'], quiet)
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], quiet)
  } catch {
    // A browser that was installed nevertheless is looked for below.
  }
  const found = paths.find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new Error(
    'The console is tested in a real browser. None is installed and none could be installed: install Chromium, or name a browser with CONSOLE_TEST_BROWSER.',
  )
}

/**
 * Barriers for people who use a keyboard, a screen reader or high contrast: the rules of WCAG 2.2
 * AA and of good practice that the page violates, each with the first element that violates it.
 */
async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run(document, { resultTypes: ['violations'] })",
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
}

/** Whether the content is wider than the page. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth')
}

/** What is wrong with the page for its readers; a screenshot is saved for inspection. */
export async function faultsOf(page: Page, name: string): Promise<readonly string[]> {
  const found = await barriers(page)
  if (await isTooWide(page)) found.push('the content is wider than the page')
  await screenshot(page, name)
  return found
}

/** Saves a screenshot as test output, for inspection. */
export async function screenshot(page: Page, name: string): Promise<void> {
  await mkdir(screenshots, { recursive: true })
  await page.screenshot({
    path: fileURLToPath(new URL(`${name}.png`, screenshots)),
    fullPage: true,
  })
}
