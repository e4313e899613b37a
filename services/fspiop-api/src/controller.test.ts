import { expect, test } from '@jest/globals'
import { openController } from './controller.ts'

const step = { length_ms: 100, offered: 1_000, processed: 0 }

test('Nothing is refused while the queue delay is within the bound', () => {
  const controller = openController(200)
  for (const queueDelay_ms of [0, 50, 200, 199]) {
    controller.update({ ...step, queueDelay_ms })
    expect(controller.rate).toBe(Infinity)
  }
})

test('From the first interval above the bound the admitted rate is below the offered rate, and it falls in each interval', () => {
  const controller = openController(200)
  let before = 1_000
  for (const queueDelay_ms of [250, 300, 300, 400]) {
    controller.update({ ...step, queueDelay_ms })
    expect(controller.rate).toBeLessThan(before)
    before = controller.rate
  }
})

test('The admitted rate changes no faster than its limits, however long the delay', () => {
  const controller = openController(200)
  controller.update({ ...step, queueDelay_ms: 60_000 })
  expect(controller.rate).toBeCloseTo(1_000 * Math.exp(-0.5), 6)
  controller.update({ ...step, queueDelay_ms: 0 })
  expect(controller.rate).toBeCloseTo(1_000 * Math.exp(-0.5 + 0.15), 6)
  controller.update({ ...step, queueDelay_ms: 0, length_ms: 200 })
  expect(controller.rate).toBeCloseTo(1_000 * Math.exp(-0.5 + 0.15 + 2 * 0.05), 6)
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
  const controller = openController(200)
  controller.update({ ...step, queueDelay_ms: 300 })
  expect(controller.rate).toBeLessThan(1_000)
  controller.update({ ...step, queueDelay_ms: 90, offered: 100 })
  expect(controller.rate).toBe(Infinity)
})
