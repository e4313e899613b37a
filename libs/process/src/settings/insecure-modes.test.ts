import { expect, test } from '@jest/globals'
import { openHealth } from '../health.ts'
import { reportInsecureModes } from './insecure-modes.ts'
import { openMetrics } from '../metrics.ts'

test('A setting that relaxes the security of a service is logged, a metric, and in its readiness', async () => {
  const lines: string[] = []
  const log = { warn: (_fields: unknown, text?: string) => lines.push(String(text)) }
  const [metrics, health] = [openMetrics({ ofProcess: false }), openHealth()]
  const mode = { mode: 'EDGE_TLS=off', detail: 'on port 4000' } as const
  for (const service of ['fspiop-api', 'other']) {
    reportInsecureModes(service, [mode], { log, metrics, health })
  }
  expect(lines).toEqual(
    Array(2).fill('INSECURE: EDGE_TLS=off: the FSP port is plain http (on port 4000)'),
  )
  expect(await metrics.metrics()).toContain('insecure_modes{service="other",mode="EDGE_TLS=off"} 1')
  expect(await health.readiness()).toMatchObject({
    ok: true,
    checks: [
      {
        name: 'insecure mode of fspiop-api: EDGE_TLS=off',
        detail: 'the FSP port is plain http (on port 4000)',
      },
      { name: 'insecure mode of other: EDGE_TLS=off' },
    ],
  })
})
