import * as participantLifecycle from '@causeway/participant-lifecycle'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import * as settlements from '@causeway/settlements'
import { refusalOf, time } from '../testing/identities.ts'
import { openScheme } from '../testing/scheme.ts'
import { openWorld, type AdminWorld } from '../testing/world.ts'

let admin: AdminWorld

const path = '/participants/green/certifications'

beforeAll(async () => {
  admin = await openWorld([participantLifecycle, settlements])
  await openScheme(admin)
  for (const name of ['green', 'blue']) {
    await admin.call('POST', '/participants', { name, currency: 'USD' })
  }
}, 60_000)

afterAll(() => admin.stop())

const ofCase = { title: 'A payee FSP answers', role: 'payee', section: 'FSPIOP 6.3.4', ms: 12 }

const messages = [{ sender: 'FSP', method: 'PUT', path: '/quotes/1', status: 200, body: '{}' }]

/** As the kit writes it, with one case in each state. */
const report = {
  fsp: 'green',
  callbackUrl: 'https://green.example/callbacks',
  startedAt: '2026-03-01T12:00:00.000Z',
  finishedAt: '2026-03-01T12:01:00.000Z',
  passed: 1,
  failed: 1,
  notRun: 1,
  results: [
    { ...ofCase, id: 'one', messages, state: 'passed' },
    { ...ofCase, id: 'two', messages: [], state: 'failed', expected: '200', seen: '500\n\0' },
    { ...ofCase, id: 'three', messages: [], state: 'notRun', why: 'no trigger' },
  ],
}

interface Listed {
  readonly certifications: readonly { readonly id: number }[]
  readonly cursor: string | null
}

test('A report is stored as the kit writes it, without its messages, and read whole', async () => {
  const headers = { 'x-operator': 'ada' }
  const { status, json } = await admin.call('POST', path, report, headers)
  const { results: _, ...summary } = report
  const shown = {
    ...summary,
    id: expect.any(Number),
    uploadedBy: 'ada',
    uploadedAt: expect.stringMatching(time),
  }
  expect({ status, json }).toEqual({ status: 201, json: shown })
  const { id } = json as { readonly id: number }
  const none = { expected: null, seen: null, why: null }
  const { title, role, section } = ofCase
  expect((await admin.call('GET', `${path}/${id}`)).json).toEqual({
    ...shown,
    results: [
      { id: 'one', title, role, section, state: 'passed', ...none },
      {
        id: 'two',
        title,
        role,
        section,
        state: 'failed',
        ...none,
        expected: '200',
        seen: '500\n\0',
      },
      { id: 'three', title, role, section, state: 'notRun', ...none, why: 'no trigger' },
    ],
  })
  expect(await admin.call('POST', path, report)).toMatchObject({ status: 200, json })
})

test('Reports are listed in pages, the newest first', async () => {
  const ofBlue = '/participants/blue/certifications'
  const ids: number[] = []
  for (const finishedAt of ['2026-03-01T12:01:00Z', '2026-03-01T15:01:00+02:00']) {
    const { json } = await admin.call('POST', ofBlue, { ...report, fsp: 'blue', finishedAt })
    ids.unshift((json as { readonly id: number }).id)
  }
  const listed = async (query: string) => {
    const { certifications, cursor } = (await admin.call('GET', `${ofBlue}${query}`)).json as Listed
    return { ids: certifications.map(({ id }) => id), cursor }
  }
  expect(await listed('')).toEqual({ ids, cursor: null })
  const { ids: first, cursor } = await listed('?limit=1')
  expect(first).toEqual(ids.slice(0, 1))
  expect(await listed(`?limit=1&cursor=${cursor ?? ''}`)).toMatchObject({ ids: ids.slice(1) })
})

test.each([
  ['is about another participant', { fsp: 'blue' }, '400 3100'],
  ['counts other results than it has', { passed: 2 }, '400 3100'],
  ['has a member that reports do not have', { color: 'green' }, '400 3100'],
  ['has no results', { results: [] }, '400 3100'],
  ['has too many results', { results: Array(2_001).fill(report.results[0]) }, '400 3103'],
  ['has no address', { callbackUrl: undefined }, '400 3102'],
  ['has an address that is none', { callbackUrl: 'green' }, '400 3100'],
  ['ends before it begins', { finishedAt: '2026-02-01T12:00:00Z' }, '400 3100'],
  ['begins at no time', { startedAt: 'noon' }, '400 3101'],
  [
    'has a failed case without finding',
    { results: [{ ...report.results[0], state: 'failed' }, ...report.results.slice(1)] },
    '400 3102',
  ],
  [
    'has a case in an unknown state',
    { results: [{ ...report.results[0], state: 'skipped' }, ...report.results.slice(1)] },
    '400 3101',
  ],
])('A report that %s is refused', async (_what, change, code) => {
  expect(refusalOf(await admin.call('POST', path, { ...report, ...change }))).toBe(code)
})

test('A report of four mebibytes is stored, a larger one is 3104, and other bodies stay bounded by one', async () => {
  const filled = (bytes: number) => {
    const begin = { ...report, finishedAt: '2026-03-01T12:02:00.000Z' }
    const [one, two, three] = begin.results
    const withSeen = (seen: string) =>
      JSON.stringify({ ...begin, results: [one, { ...two, seen }, three] })
    return withSeen('x'.repeat(bytes - Buffer.byteLength(withSeen(''))))
  }
  const bytes_max = 4 * 1024 * 1024
  const stored = await admin.call('POST', path, filled(bytes_max))
  expect(stored.status).toBe(201)
  const { id } = stored.json as { readonly id: number }
  const { text } = await admin.call('GET', `${path}/${id}`)
  expect(text.length).toBeGreaterThan(bytes_max - 2_000)
  const larger = await admin.call('POST', path, filled(bytes_max + 1))
  expect([refusalOf(larger), larger.text]).toEqual([
    '400 3104',
    expect.stringContaining(`more than ${bytes_max} bytes`),
  ])
  const elsewhere = await admin.call('POST', '/participants', filled(1024 * 1024 + 1))
  expect(refusalOf(elsewhere)).toBe('400 3104')
})

test('An unknown participant and an unknown report are 3200', async () => {
  const nobody = '/participants/nobody/certifications'
  const answers = [
    await admin.call('POST', nobody, { ...report, fsp: 'nobody' }),
    await admin.call('GET', nobody),
    await admin.call('GET', `${nobody}/1`),
    await admin.call('GET', `${path}/2147483647`),
  ]
  expect(answers.map(refusalOf)).toEqual(answers.map(() => '404 3200'))
})

test('The report of one participant is not shown as that of another', async () => {
  const { certifications } = (await admin.call('GET', path)).json as Listed
  const [one] = certifications
  const elsewhere = await admin.call('GET', `/participants/blue/certifications/${one?.id}`)
  expect(refusalOf(elsewhere)).toBe('404 3200')
})

test('A report needs no second person, since it changes nothing else', async () => {
  const careful = await openWorld([participantLifecycle], { FOUR_EYES: 'required' })
  const answer = await careful.call('POST', path, report)
  await careful.stop()
  expect(refusalOf(answer)).toBe('404 3200')
})
