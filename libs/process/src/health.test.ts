import { expect, test } from '@jest/globals'
import { openHealth } from './health.ts'

test('A process without checks is live and ready', async () => {
  const health = openHealth()
  expect(health.liveness()).toEqual({ ok: true, checks: [] })
  expect(await health.readiness()).toEqual({ ok: true, checks: [] })
})

test('One worker without progress makes the process not live, and is named', () => {
  const health = openHealth()
  const wrong: string[] = []
  health.live('bus', () => undefined)
  health.live('ledger writer', () => wrong[0])
  expect(health.liveness().ok).toBe(true)
  wrong.push('no batch for 60 s though 3 wait')
  expect(health.liveness()).toEqual({
    ok: false,
    checks: [
      { name: 'bus', ok: true, detail: '' },
      { name: 'ledger writer', ok: false, detail: 'no batch for 60 s though 3 wait' },
    ],
  })
})

test('One dependency that does not respond makes the process not ready, and is named', async () => {
  const health = openHealth()
  health.ready('postgresql', () => Promise.reject(new Error('connection refused')))
  health.ready('kafka', () => Promise.resolve())
  expect(await health.readiness()).toEqual({
    ok: false,
    checks: [
      { name: 'postgresql', ok: false, detail: 'connection refused' },
      { name: 'kafka', ok: true, detail: '' },
    ],
  })
})

test('A notice is reported with readiness and stops nothing', async () => {
  const health = openHealth()
  health.ready('postgresql', () => Promise.resolve())
  health.note('e-mail', 'no mail server is configured')
  expect(await health.readiness()).toEqual({
    ok: true,
    checks: [
      { name: 'postgresql', ok: true, detail: '' },
      { name: 'e-mail', ok: true, detail: 'no mail server is configured' },
    ],
  })
})

test('A check that throws fails alone and hides no other', async () => {
  const health = openHealth()
  const thrower = (): never => {
    throw new Error('a bug')
  }
  health.live('worker', thrower)
  health.ready('cache', thrower)
  expect(health.liveness().checks).toEqual([{ name: 'worker', ok: false, detail: 'a bug' }])
  expect((await health.readiness()).checks[0]).toMatchObject({ name: 'cache', ok: false })
})

test('A dependency that never answers is reported after the time-out', async () => {
  const health = openHealth({ timeout_ms: 5 })
  health.ready('postgresql', () => new Promise(() => undefined))
  const { checks } = await health.readiness()
  expect(checks).toEqual([{ name: 'postgresql', ok: false, detail: 'no answer within 5 ms' }])
})

test('Two checks of one name are refused as a bug', () => {
  const health = openHealth()
  health.live('bus', () => undefined)
  expect(() => health.live('bus', () => undefined)).toThrow('two health checks of the name bus')
})
