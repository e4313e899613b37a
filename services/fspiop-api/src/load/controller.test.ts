import { expect, test } from '@jest/globals'
import { openController } from './controller.ts'

const step = { length_ms: 100, offered: 1_000, processed: 0, stoodStill: false }

/** A controller with a bound of 200 ms that has been offered `usual` messages per second for a minute. */
function openAfterMinute(usual: number) {
  const controller = openController(200)
  const quiet = { ...step, offered: usual, queueDelay_ms: 10 }
  for (let at = 0; at < 600; at++) controller.update(quiet)
  return controller
}

/** The delay has just reached what may be a pause, or a wave. */
function openAfterPause() {
  const controller = openAfterMinute(1_000)
  for (let at = 0; at < 8; at++) controller.update({ ...step, queueDelay_ms: 300 })
  expect(controller.rate).toBe(Infinity)
  return controller
}

test('Nothing is refused while the queue delay is within the bound', () => {
  const controller = openAfterMinute(1_000)
  for (const queueDelay_ms of [0, 50, 200, 199]) {
    controller.update({ ...step, queueDelay_ms })
    expect(controller.rate).toBe(Infinity)
  }
})

test('Nothing is refused when the queue delay exceeds the bound for at most 400 ms at a time', () => {
  const controller = openAfterMinute(1_000)
  for (const queueDelay_ms of [900, 800, 600, 300, 100, 900, 800, 600, 300, 200]) {
    controller.update({ ...step, queueDelay_ms })
    expect(controller.rate).toBe(Infinity)
  }
})

test('A delay that is a tenth too long may last ten times as long as one that is twice as long', () => {
  const untilRefused = (queueDelay_ms: number) => {
    const controller = openAfterMinute(1_000)
    let steps = 0
    for (; controller.rate === Infinity; steps++) controller.update({ ...step, queueDelay_ms })
    return steps
  }
  expect(untilRefused(400)).toBe(5)
  expect(untilRefused(220)).toBe(41)
})

test('Above the bound for longer, the admitted rate is below the offered rate and falls in each interval', () => {
  const controller = openAfterPause()
  let before = 1_000
  for (const queueDelay_ms of [310, 330, 330, 400]) {
    controller.update({ ...step, queueDelay_ms })
    expect(controller.rate).toBeLessThan(before)
    before = controller.rate
  }
})

test('A delay that swings around its bound hardly changes the admitted rate', () => {
  const controller = openAfterPause()
  controller.update({ ...step, queueDelay_ms: 280 })
  for (let at = 0; at < 100; at++) {
    controller.update({ ...step, queueDelay_ms: at % 2 === 0 ? 120 : 280 })
  }
  expect(controller.rate).toBeGreaterThan(1_000 * Math.exp(-0.3))
  expect(controller.rate).toBeLessThan(1_000 * Math.exp(0.3))
})

test('The admitted rate changes no faster than its limits, however long the delay', () => {
  const controller = openAfterPause()
  controller.update({ ...step, queueDelay_ms: 60_000 })
  expect(controller.rate).toBeCloseTo(1_000 * Math.exp(-0.24 - 0.3), 6)
  controller.update({ ...step, queueDelay_ms: 0 })
  expect(controller.rate).toBeCloseTo(1_000 * Math.exp(-0.24 + 0.08), 6)
  controller.update({ ...step, queueDelay_ms: 0, length_ms: 200 })
  expect(controller.rate).toBeCloseTo(1_000 * Math.exp(-0.24 + 0.08 + 2 * 0.08), 6)
})

test('At least a twentieth of the processed rate is admitted, and at least one message per second', () => {
  const controller = openController(200)
  for (let at = 0; at < 100; at++)
    controller.update({ ...step, queueDelay_ms: 900, processed: 400 })
  expect(controller.rate).toBe(20)
  for (let at = 0; at < 100; at++) controller.update({ ...step, queueDelay_ms: 900, processed: 0 })
  expect(controller.rate).toBe(1)
})

test('Refusing ends once the admitted rate exceeds the offered rate', () => {
  const controller = openAfterPause()
  controller.update({ ...step, queueDelay_ms: 300 })
  expect(controller.rate).toBeLessThan(1_000)
  controller.update({ ...step, queueDelay_ms: 90, offered: 100 })
  expect(controller.rate).toBe(Infinity)
})

test('After a jump of the load half of it is admitted from the first delay above the bound on', () => {
  const controller = openAfterMinute(300)
  controller.update({ ...step, queueDelay_ms: 190 })
  expect(controller.rate).toBe(Infinity)
  controller.update({ ...step, queueDelay_ms: 210 })
  expect(controller.rate).toBeLessThan(0.5 * 1_000)
  expect(controller.rate).toBeGreaterThan(0.4 * 1_000)
})

test.each([
  ['the load is only a quarter above the usual one', 800, {}],
  ['the hub was idle before', 0, {}],
  ['the hub has just stood still', 300, { stoodStill: true }],
])('A delay above the bound is not yet taken for overload when %s', (_, usual, measured) => {
  const controller = openAfterMinute(usual)
  controller.update({ ...step, queueDelay_ms: 210, ...measured })
  expect(controller.rate).toBe(Infinity)
})

test('A delay above the bound that falls is not yet taken for overload after a jump', () => {
  const controller = openAfterMinute(300)
  controller.update({ ...step, queueDelay_ms: 400, stoodStill: true })
  controller.update({ ...step, queueDelay_ms: 300 })
  expect(controller.rate).toBe(Infinity)
})
