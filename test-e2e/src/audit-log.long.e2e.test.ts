/**
 * The audit log and the log store as an auditor, an operator and a component of the operator use them:
 * over the wire, and in a browser.
 */
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { browserStart_ms, faultsOf, openBrowser, story_ms } from './parties/browser.ts'
import { consoleAt, newOperator, type Console } from './parties/console.ts'
import { answered, personWith, programWith, type Operator } from './operator/operator.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'

const email = 'grace@hub.example'
let scheme: Scheme
let auditor: Operator
let press: Operator

beforeAll(async () => {
  scheme = await openSchemeOfFsps({ OPERATOR_IDENTITY: 'token' })
  const { operator } = scheme.hub.urls
  const roles = {
    auditor: ['VIEW_AUDIT', 'VIEW_AUDIT_QUARANTINE', 'RUN_AUDIT_CONFIDENTIAL', 'VIEW_LOG'],
    component: ['RUN_LOG_WRITE'],
  }
  for (const [name, privileges] of Object.entries(roles)) {
    const role = { labelName: name, description: name, privileges }
    await answered(scheme.operator.call('PUT', `/roles/${name}`, role))
  }
  auditor = await personWith(scheme.operator, operator, 'ada', ['auditor'])
  press = await programWith(scheme.operator, operator, 'press', ['component'])
  const person = { name: 'grace', roles: ['checker'], email }
  await answered(scheme.operator.call('POST', '/operators', person))
})

afterAll(() => (scheme as Scheme | undefined)?.stop())

interface Entry {
  readonly actionType: string
  readonly sourceBcName: string
  readonly sourceKeyId?: string
  readonly provenance?: string
  readonly securityContext: { readonly userId?: string; readonly role?: string }
  readonly callerNetworkSources: readonly { readonly family: string; readonly address: string }[]
  readonly after: Readonly<Record<string, unknown>> | null
}

const entriesAt = async (path: string, method: 'GET' | 'POST' = 'GET') =>
  (await answered<{ readonly entries: readonly Entry[] }>(auditor.call(method, path))).entries

const creation = '?subject=operators%2Fgrace&actionType=CreateOperator'

const creationOfGrace = (path: string, method?: 'POST') =>
  eventually(
    async () => (await entriesAt(`${path}${creation}`, method))[0],
    'the creation of grace is on record',
  )

describe('the audit log', () => {
  test('An entry has the key of its service, and name, role and address of the operator', async () => {
    const entry = await creationOfGrace('/read-audit-log')
    expect(entry).toMatchObject({
      sourceBcName: 'auth-service',
      provenance: 'SIGNED',
      securityContext: {
        userId: 'administrator',
        role: 'administrator',
        sessionId: expect.stringMatching(/^[\da-f-]{36}$/),
      },
      callerNetworkSources: [{ family: 'IPv4', address: '127.0.0.1' }],
    })
    expect(entry.sourceKeyId).toMatch(/^[\w-]{43}$/)
  })

  test('Every service of the hub signs its entries, and none of them is quarantined', async () => {
    const entries = await entriesAt('/audit?limit=500')
    const unsigned = entries.filter(({ provenance }) => provenance !== 'SIGNED')
    expect(unsigned.map(({ sourceBcName, actionType }) => [sourceBcName, actionType])).toEqual([])
    expect(await answered(auditor.call('GET', '/audit-quarantine'))).toEqual({
      entries: [],
      total: 0,
      held: 0,
    })
  })

  test('A confidential member is encrypted, and only a privilege of its own reads it', async () => {
    const { after } = await creationOfGrace('/audit')
    expect(JSON.stringify(after)).not.toContain(email)
    expect((await creationOfGrace('/audit/confidential', 'POST')).after).toMatchObject({ email })
    const viewer = await personWith(scheme.operator, scheme.hub.urls.operator, 'vera', ['viewer'])
    expect((await viewer.call('POST', '/audit/confidential')).status).toBe(403)
    await eventually(
      async () => (await entriesAt('/audit?actionType=ReadConfidentialEntries'))[0],
      'the reading is on record',
    )
  })

  test('The log is verified, and its last entry later', async () => {
    const verify = async (query: string) =>
      answered<{ readonly clean: boolean; readonly lastNumber: string; readonly lastHash: string }>(
        auditor.call('POST', `/audit/verify${query}`),
      )
    const { clean, lastNumber, lastHash } = await verify('')
    expect(clean).toBe(true)
    expect((await verify(`?number=${lastNumber}&hash=${lastHash}`)).clean).toBe(true)
    expect((await verify(`?number=${lastNumber}&hash=${'0'.repeat(64)}`)).clean).toBe(false)
  })
})

interface Line {
  readonly bcName: string
  readonly level: string
  readonly message: string
}

const linesAt = async (query: string) =>
  (await answered<{ readonly entries: readonly Line[] }>(auditor.call('GET', `/read-log?${query}`)))
    .entries

describe('the log store', () => {
  test('A component writes lines under its own name, and an operator finds them', async () => {
    const entry = {
      level: 'error',
      timestamp: new Date().toISOString(),
      appName: 'press',
      appVersion: '2.1',
      component: 'tray 1',
      message: 'no paper',
    }
    expect(await answered(press.call('POST', '/log-write', { entries: [entry] }))).toEqual({
      stored: 1,
    })
    expect((await auditor.call('POST', '/log-write', { entries: [entry] })).status).toBe(403)
    expect((await press.call('GET', '/read-log')).status).toBe(403)
    expect(await linesAt('bc=press&level=warn&text=PAPER')).toMatchObject([
      { bcName: 'press', level: 'error', message: 'no paper' },
    ])
    expect(await linesAt('bc=press&level=fatal')).toEqual([])
  })

  test('The lines that a service could not copy while it started are counted, and none is hidden', async () => {
    await eventually(async () => {
      const losses = await linesAt('text=not%20copied&limit=500')
      const lost = losses.reduce((sum, { message }) => sum + Number.parseInt(message, 10), 0)
      const state = scheme.operator.call('GET', '/log-read-build-log')
      const { droppedLines } = await answered<{ readonly droppedLines: string }>(state)
      return droppedLines === `${lost}`
    }, 'as many lines are counted as lost as the log says')
  })

  test('Warnings of the services of the hub are in the log store', async () => {
    const line = await eventually(
      async () => (await linesAt('text=EDGE_IDENTITY'))[0],
      'the warning of an insecure mode is stored',
    )
    expect(line).toMatchObject({ level: 'warn' })
  })
})

describe('in a browser', () => {
  let browser: Browser
  let operators: Console
  let page: Page

  beforeAll(async () => {
    browser = await openBrowser()
    operators = consoleAt(scheme.hub.urls.operator, browser)
    page = await operators.openPage()
    const max = await newOperator(scheme.operator, 'max', ['administrator'])
    await operators.enter(page, max, 'correct horse battery')
  }, browserStart_ms + story_ms)

  afterAll(() => (browser as Browser | undefined)?.close())

  test(
    'An auditor sees who did what from where, shows a confidential value, and finds no quarantine',
    async () => {
      await operators.go(page, '/audit/of/subject=operators%2Fgrace')
      const row = page.getByRole('row').filter({ hasText: 'CreateOperator' })
      await row.getByText('administrator, 127.0.0.1').waitFor()
      await row.getByText('auth-service, signed').waitFor()
      await page.getByText('No audit entries are quarantined.').waitFor()
      expect(await page.getByText(email).count()).toBe(0)
      await page.getByRole('button', { name: 'Show confidential values' }).click()
      await page.getByText(email).waitFor({ state: 'attached' })
      expect(await faultsOf(page, 'audit-confidential')).toEqual([])
    },
    story_ms,
  )

  test(
    'An operator finds a line of the log by its text',
    async () => {
      await operators.go(page, '/log')
      await page.getByLabel('Text').fill('no paper')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('row').filter({ hasText: 'press, tray 1' }).waitFor()
      expect(await page.getByRole('row').filter({ hasText: 'EDGE_IDENTITY' }).count()).toBe(0)
      expect(await faultsOf(page, 'log')).toEqual([])
      expect(operators.complaints).toEqual([])
    },
    story_ms,
  )
})
