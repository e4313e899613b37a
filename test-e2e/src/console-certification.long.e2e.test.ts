/**
 * The console in a real browser: an operator uploads a report of the certification kit, finds it in the
 * list of the FSP and sees why a case has failed. The kit publishes another one by itself.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { browserStart_ms, faultsOf, story_ms } from './parties/browser.ts'
import { certify, openIdleFsp } from './parties/certification.ts'
import { openConsole, type Console, type OpenConsole } from './parties/console.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'

let scheme: Scheme
let opened: OpenConsole
let operators: Console
let page: Page
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-certification-'))
  scheme = await openSchemeOfFsps({ OPERATOR_IDENTITY: 'token' })
  await scheme.join('greenbank')
  await scheme.join('reference')
  opened = await openConsole(scheme)
  ;({ operators, page } = opened)
}, browserStart_ms + story_ms)

afterAll(async () => {
  // A part that did not start cannot be stopped; an error here would hide the cause.
  await (opened as OpenConsole | undefined)?.close()
  await (scheme as Scheme | undefined)?.stop()
  await rm(folder, { recursive: true })
})

/** The report of a test of greenbank: one case passes, one fails, and one is not run. */
async function testGreenbank(): Promise<string> {
  const fsp = await openIdleFsp()
  const report = join(folder, 'greenbank')
  const about = ['--fsp', 'greenbank', '--callback', fsp.url, '--port', '0', '--report', report]
  const cases = ['server-unknown-path', 'server-unknown-method', 'version-unsupported']
  await certify([...about, ...cases.flatMap((id) => ['--case', id])])
  await fsp.stop()
  return join(report, 'report.json')
}

async function upload(file: string): Promise<void> {
  await page.getByLabel('Report of the certification kit').setInputFiles(file)
  await page.getByRole('button', { name: 'Upload report' }).click()
}

const reportsOf = (name: string) =>
  page
    .getByRole('table', { name: `Tests of the implementation of ${name}, the latest report first` })
    .getByRole('row')

test(
  'An operator uploads a report on the page of the FSP and sees it listed',
  async () => {
    await operators.go(page, '/participants/greenbank')
    await page.getByRole('link', { name: 'Certification', exact: true }).click()
    await page.getByText('No report yet.').waitFor()
    await upload(await testGreenbank())
    await page.getByRole('status').getByText('is stored').waitFor()
    const row = reportsOf('greenbank').nth(1)
    await row.getByText('FAILED').waitFor()
    const figures = await row.getByRole('cell').allTextContents()
    expect(figures.slice(1, 4)).toEqual(['1', '1', '1'])
    expect(figures.at(-1)).toBe('ada')
    expect(await faultsOf(page, 'certifications')).toEqual([])
  },
  story_ms,
)

test(
  'The page of a report shows the cases of each role, and why one has failed or was not run',
  async () => {
    await operators.go(page, '/participants/greenbank/certifications')
    await reportsOf('greenbank').nth(1).getByRole('link').click()
    await page.getByRole('heading', { name: /^Certification report \d+ of greenbank$/ }).waitFor()
    const cases = page.getByRole('region', { name: 'As the payee’s FSP' }).getByRole('row')
    const caseOf = (id: string) => cases.filter({ hasText: id })
    await caseOf('server-unknown-path').getByText('PASSED').waitFor()
    await caseOf('version-unsupported').getByText('NOT RUN').waitFor()
    await caseOf('version-unsupported').getByText('--party').waitFor()
    const failed = caseOf('server-unknown-method')
    await failed.getByText('FAILED').waitFor()
    await failed.getByText('FSPIOP 3.2.4').waitFor()
    const findings = await failed.getByRole('definition').allTextContents()
    expect(findings).toEqual([expect.stringContaining('405'), expect.stringContaining('404')])
    expect(await faultsOf(page, 'certification')).toEqual([])
    await page.getByLabel('Failed cases only').check()
    await caseOf('server-unknown-path').waitFor({ state: 'detached' })
    expect(await cases.count()).toBe(2)
    await page.getByRole('link', { name: 'All reports of greenbank' }).click()
    await reportsOf('greenbank').nth(1).waitFor()
  },
  story_ms,
)

test(
  'A file that is no report, and a report about another FSP, are refused with the reason',
  async () => {
    const file = join(folder, 'notes.json')
    await writeFile(file, 'not a report')
    await operators.go(page, '/participants/reference/certifications')
    await upload(file)
    await page.getByRole('alert').getByText('not a report of the certification kit').waitFor()
    await upload(join(folder, 'greenbank/report.json'))
    await page.getByRole('alert').getByText('the report is about greenbank').waitFor()
    expect(await page.getByText('No report yet.').isVisible()).toBe(true)
  },
  story_ms,
)

test(
  'The kit publishes the report of a whole test with a token, and without one it fails with a reason',
  async () => {
    const { urls } = scheme.hub
    const token = join(folder, 'token')
    await writeFile(token, `${await scheme.operator.token()}\n`)
    const about = ['--fsp', 'reference', '--report', join(folder, 'reference')]
    const published = [...about, '--publish', urls.operator]
    const { exitCode, output } = await certify([...published, '--token-file', token])
    const address = `${urls.operator}/participants/reference/certifications`
    expect({ exitCode, last: output.trimEnd().split('\n').at(-1) }).toEqual({
      exitCode: 0,
      last: expect.stringMatching(new RegExp(`^published: ${address}/\\d+$`)),
    })
    const refused = await certify([...published, '--case', 'ilp'])
    expect(refused.exitCode).toBe(1)
    expect(refused.output).toContain(`not published to ${urls.operator}: it answered 401, 3000`)
    // A page that is shown already is not read again.
    await operators.go(page, '/participants')
    await operators.go(page, '/participants/reference/certifications')
    const row = reportsOf('reference').nth(1)
    await row.getByText('PASSED').waitFor()
    await row.getByText('administrator').waitFor()
    await row.getByRole('link').click()
    const roles = ['As the payer’s FSP', 'As the payee’s FSP', 'As a DFSP', 'As a PISP']
    for (const name of roles) await page.getByRole('region', { name }).waitFor()
    await page.getByLabel('Failed cases only').check()
    await page.getByText('No case has failed.').waitFor()
    expect(operators.complaints).toEqual([])
  },
  story_ms,
)
