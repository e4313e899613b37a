import { expect, test } from '@jest/globals'
import { writeDocument } from './document.ts'
import type { ReportFacts } from './domain/report.ts'
import { renderReport } from './render.ts'

const none = { count: 0, value: '0' }
const kinds = { total: none, single: none, bulkItems: none, thirdParty: none }
const unmeasured = { count: 0, p50_ms: null, p95_ms: null, p99_ms: null }

const facts: ReportFacts = {
  currencies: [
    {
      currency: 'USD',
      from: '2026-11-25T00:00:00.000Z',
      until: '2026-11-26T00:00:00.000Z',
      sent: { ...kinds, total: { count: 2, value: '100.5' }, single: { count: 2, value: '100.5' } },
      received: kinds,
      fees: { paid: { count: 2, value: '0.02' }, received: none },
      failures: {
        sent: [{ errorCode: '4001', description: 'Payer <insufficient>', count: 1, value: '7' }],
        received: [],
      },
      latency: { sent: { count: 2, p50_ms: 80, p95_ms: 120, p99_ms: 120 }, received: unmeasured },
      position: '-12.5',
    },
  ],
  windowsClosed: [
    {
      id: 4,
      closedAt: '2026-11-25T12:00:00.000Z',
      nets: [
        {
          participant: 'greenbank',
          currency: 'USD',
          settlementModel: 'DEFERREDNET',
          net: '-3',
          transfersCount: 2,
        },
      ],
    },
  ],
}

const head = {
  day: '2026-11-25',
  scope: '',
  participant: 'greenbank',
  version: 2,
  madeAt: '2026-11-26T00:01:00.000Z',
  reason: 'LATE_TRANSFERS',
  replaces: { version: 1, sha256: 'ab12' },
}

const report = {
  ...writeDocument(head, facts),
  day: head.day,
  scope: head.scope,
  version: head.version,
  madeAt: new Date(head.madeAt),
}

test('The JSON is the stored one, byte for byte', () => {
  const file = renderReport(report, 'JSON')
  expect(file).toEqual({
    fileName: 'report-greenbank-2026-11-25-v2.json',
    mediaType: 'application/json',
    content: report.body,
  })
})

test('The CSV has one figure in each line, with its participant and currency', () => {
  const { content } = renderReport(report, 'CSV')
  const lines = content.split('\r\n')
  const start = '2026-11-25,2,greenbank,USD'
  expect(lines[0]).toBe('day,version,participant,currency,figure,detail,count,value')
  expect(lines).toEqual(
    expect.arrayContaining([
      `${start},sent,total,2,100.5`,
      `${start},fees,paid,2,0.02`,
      `${start},failed sent,4001 Payer <insufficient>,1,7`,
      `${start},latency sent,p95_ms,2,120`,
      `${start},position,end of day,,-12.5`,
      `${start},settlement window,4 DEFERREDNET,2,-3`,
    ]),
  )
})

test('The page shows the figures, the version that it replaces, and the hash; no text becomes markup', () => {
  const { content, mediaType } = renderReport(report, 'HTML')
  expect(mediaType).toBe('text/html')
  expect(content).toContain('End-of-day report of greenbank, 2026-11-25')
  expect(content).toContain('Payer &lt;insufficient&gt;')
  expect(content).toContain('Replaces version 1 (ab12)')
  expect(content).toContain(report.sha256)
  expect(content).not.toContain('<insufficient>')
  expect(content).not.toMatch(/<script|<link|src=/)
})
