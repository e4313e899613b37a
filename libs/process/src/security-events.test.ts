import { expect, test } from '@jest/globals'
import { openLog } from './log.ts'
import { openMetrics } from './metrics.ts'
import { openSecurityEvents, type SecurityEvent } from './security-events.ts'

const refusal: SecurityEvent = {
  type: 'IDENTITY_REFUSED',
  reason: 'the certificate was revoked',
  actor: 'greenbank',
  address: '192.0.2.7',
  target: 'POST /transfers',
}

function opened() {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const log = openLog({ name: 'a test', level: 'info', destination })
  const metrics = openMetrics({ ofProcess: false })
  let now_ms = 1_000
  const open = (service: string) => openSecurityEvents(service, { log, metrics }, () => now_ms)
  return {
    open,
    metrics,
    security: () => lines.map((line) => (JSON.parse(line) as { security: object }).security),
    later: (ms: number) => (now_ms += ms),
  }
}

test('A security event is a line of the log whose members stay the same', () => {
  const { open, security } = opened()
  open('fspiop-api').tell(refusal)
  expect(security()).toEqual([
    {
      schema: 1,
      service: 'fspiop-api',
      type: 'IDENTITY_REFUSED',
      reason: 'the certificate was revoked',
      actor: 'greenbank',
      address: '192.0.2.7',
      target: 'POST /transfers',
      suppressed: 0,
    },
  ])
})

test('Security events of all services in a process are counted in one metric', async () => {
  const { open, metrics } = opened()
  open('fspiop-api').tell(refusal)
  open('admin').tell({ ...refusal, type: 'LOG_IN_REFUSED' })
  const text = await metrics.metrics()
  expect(text).toContain('security_events_total{service="fspiop-api",type="IDENTITY_REFUSED"} 1')
  expect(text).toContain('security_events_total{service="admin",type="LOG_IN_REFUSED"} 1')
})

test('Many security events of one type are counted, but cannot fill the log or hide another type', async () => {
  const { open, metrics, security, later } = opened()
  const events = open('fspiop-api')
  for (let each = 0; each < 1_000; each += 1) events.tell(refusal)
  events.tell({ ...refusal, type: 'SIGNATURE_REFUSED' })
  expect(security()).toHaveLength(11)
  later(1_000)
  events.tell(refusal)
  expect(security().at(-1)).toMatchObject({ type: 'IDENTITY_REFUSED', suppressed: 990 })
  expect(await metrics.metrics()).toContain('type="IDENTITY_REFUSED"} 1001')
})

test('A text of an attacker is cut in a security event', () => {
  const { open, security } = opened()
  open('admin').tell({ ...refusal, actor: 'x'.repeat(100_000) })
  expect(security()).toEqual([expect.objectContaining({ actor: 'x'.repeat(200) })])
})
