/** Reports of certifications, on a real database. */
import type { Calls } from '@causeway/grpc'
import {
  certificationsService,
  type Certification,
  type CertificationReport,
  type CertificationResult,
} from '@causeway/protos'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { collectAudit, type AuditLog } from '../testing/audited.ts'
import { patient } from '../testing/items.ts'
import { onboard, openHubAccounts } from '../testing/scheme.ts'
import { openWorld, type ParticipantLifecycleWorld } from '../testing/world.ts'

let hub: ParticipantLifecycleWorld
let audit: AuditLog
let certifications: Calls<typeof certificationsService>

beforeAll(async () => {
  hub = await openWorld()
  audit = await collectAudit(hub)
  certifications = hub.parts.grpc.client(certificationsService, 'participant-lifecycle')
  await openHubAccounts(hub)
  for (const name of ['greenbank', 'bluewallet', 'redbank']) await onboard(hub, name)
})

afterAll(() => hub.stop())

const ofCase = { title: 'A rule', role: 'payee', section: 'FSPIOP 6.3.4' } as const

const results: readonly CertificationResult[] = [
  { ...ofCase, caseId: 'one', state: 'passed' },
  { ...ofCase, caseId: 'two', state: 'failed', expected: 'a PUT', seen: 'U+0000: \0, “é”' },
  { ...ofCase, caseId: 'three', state: 'notRun', why: 'no trigger' },
]

function reportOf(name: string, changes: Partial<CertificationReport> = {}): CertificationReport {
  return {
    name,
    startedAt: '2026-03-01T12:00:00.000Z',
    finishedAt: '2026-03-01T12:01:00.000Z',
    callbackUrl: 'https://fsp.example/callbacks',
    results: [...results],
    actor: 'ada',
    ...changes,
  }
}

async function store(report: CertificationReport): Promise<Certification> {
  const { certification, refusal } = await certifications.StoreCertification(report, patient)
  if (!certification) throw new Error(refusal?.detail)
  return certification
}

test('A report is stored as it was sent, with its counts, its uploader and an audit entry', async () => {
  const stored = await store(reportOf('greenbank'))
  expect(stored).toMatchObject({
    name: 'greenbank',
    startedAt: '2026-03-01T12:00:00.000Z',
    finishedAt: '2026-03-01T12:01:00.000Z',
    callbackUrl: 'https://fsp.example/callbacks',
    passed: 1,
    failed: 1,
    notRun: 1,
    uploadedBy: 'ada',
  })
  expect(Math.abs(Date.parse(stored.uploadedAt) - Date.now())).toBeLessThan(60_000)
  const { whole } = await certifications.GetCertification({ name: 'greenbank', id: stored.id })
  expect(whole).toEqual({
    certification: stored,
    results: results.map((each) => expect.objectContaining(each)),
  })
  const [entry] = await audit.about(`participants/greenbank/certifications/${stored.id}`, 1)
  expect(entry).toMatchObject({ actionType: 'StoreCertification', after: { failed: 1 } })
})

test('The same report again is answered as the first time, and neither stored nor audited twice', async () => {
  const report = reportOf('redbank')
  const first = await certifications.StoreCertification(report, patient)
  const again = await certifications.StoreCertification({ ...report, actor: 'grace' }, patient)
  expect(first.isNew).toBe(true)
  expect(again).toMatchObject({ isNew: false, certification: first.certification })
  const other = await store({ ...report, finishedAt: '2026-03-01T12:02:00.000Z' })
  expect(other.id).not.toBe(first.certification?.id)
  const entries = await audit.about('participants/redbank/certifications', 2)
  expect(entries.map(({ subject }) => subject)).toEqual(
    [first.certification?.id, other.id].map((id) => `participants/redbank/certifications/${id}`),
  )
})

test('Reports are listed in pages, the one that was stored last first, each once', async () => {
  const ids: number[] = []
  for (const minute of [1, 2, 3]) {
    const finishedAt = `2026-03-01T13:0${minute}:00.000Z`
    ids.unshift((await store(reportOf('bluewallet', { finishedAt }))).id)
  }
  const listed = async (cursor?: string) => {
    const from = cursor === undefined ? {} : { cursor }
    const asked = { name: 'bluewallet', limit: 2, ...from }
    const { page } = await certifications.ListCertifications(asked, patient)
    return { ids: page?.certifications.map(({ id }) => id), next: page?.next }
  }
  const first = await listed()
  const second = await listed(first.next)
  expect([first.ids, second.ids]).toEqual([ids.slice(0, 2), ids.slice(2)])
  expect(second.next).toBeUndefined()
  expect((await listed('no cursor')).ids).toEqual(ids.slice(0, 2))
})

test('A report of another participant, and one of none, are refused and never shown', async () => {
  const { id } = await store(reportOf('greenbank', { callbackUrl: 'https://other.example/' }))
  const found = await certifications.GetCertification({ name: 'bluewallet', id })
  expect(found.refusal?.reason).toBe('REPORT_UNKNOWN')
  const reasons = [
    await certifications.GetCertification({ name: 'nobody', id }),
    await certifications.ListCertifications({ name: 'nobody' }),
    await certifications.StoreCertification(reportOf('nobody')),
  ].map(({ refusal }) => refusal?.reason)
  expect(reasons).toEqual(reasons.map(() => 'PARTICIPANT_UNKNOWN'))
})

test('A report that cannot be read is refused, and nothing is stored', async () => {
  const report = reportOf('greenbank', { results: [] })
  const { refusal } = await certifications.StoreCertification(report)
  expect(refusal).toMatchObject({ reason: 'INVALID', detail: 'a report has 1 to 2000 results' })
})

test('A report of four mebibytes is stored and read whole', async () => {
  const many = Array.from({ length: 400 }, (_, at) => ({
    ...ofCase,
    caseId: `case-${at}`,
    state: 'failed' as const,
    expected: 'x'.repeat(5_000),
    seen: 'y'.repeat(5_400),
  }))
  const { id } = await store(reportOf('greenbank', { results: many }))
  const { whole } = await certifications.GetCertification({ name: 'greenbank', id }, patient)
  expect(whole?.certification).toMatchObject({ passed: 0, failed: 400, notRun: 0 })
  expect(whole?.results.map(({ caseId, seen }) => ({ caseId, seen }))).toEqual(
    many.map(({ caseId, seen }) => ({ caseId, seen })),
  )
})

test.each([
  ['change', 'update certifications set failed = 0, passed = passed + failed'],
  ['remove', 'delete from certifications'],
  ['empty', 'truncate certifications'],
])('The service cannot %s its reports of certifications', async (_what, text) => {
  const count = 'select count(*)::int as count from certifications'
  const before = await hub.sql(count)
  await expect(hub.sql(text)).rejects.toThrow('only ever added')
  expect(await hub.sql(count)).toEqual(before)
})
