import { expect, test } from '@jest/globals'
import { openMetrics } from './metrics.ts'

test('A process reports how long its event loop was active, and no metric that has to wake it', async () => {
  const metrics = openMetrics({ ofProcess: true })
  const activeSeconds = async () => {
    const value = /^nodejs_eventloop_active_seconds_total (\S+)$/m.exec(
      await metrics.metrics(),
    )?.[1]
    return Number(value)
  }
  const before_s = await activeSeconds()
  const until_ms = performance.now() + 50
  while (performance.now() < until_ms);
  const after_s = await activeSeconds()
  expect(after_s - before_s).toBeGreaterThanOrEqual(0.05)
  const text = await metrics.metrics()
  expect(text).toContain('process_cpu_seconds_total')
  expect(text).not.toMatch(/eventloop_lag_(min|max|mean|stddev|p\d+)_seconds/)
})

test('Metrics of the process are left out where several services share it', async () => {
  expect(await openMetrics({ ofProcess: false }).metrics()).toBe('\n')
})
