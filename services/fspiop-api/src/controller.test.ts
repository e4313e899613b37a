import { expect, test } from '@jest/globals'
import { openController } from './controller.ts'

const step = { length_ms: 100, offered: 1_000, worked: 0 }

test('nothing is refused while messages wait no longer than the bound', () => {
  const controller = openController(200)
  for (const standing_ms of [0, 50, 200, 199]) {
    controller.update({ ...step, standing_ms })
    expect(controller.rate).toBe(Infinity)
  }
})

test('from the first interval beyond the bound less than what is offered is let in, and less each time', () => {
  const controller = openController(200)
  let before = 1_000
  for (const standing_ms of [250, 300, 300, 400]) {
    controller.update({ ...step, standing_ms })
    expect(controller.rate).toBeLessThan(before)
    before = controller.rate
  }
})

test('what is let in neither falls nor rises faster than it may, however long the wait', () => {
  const controller = openController(200)
  controller.update({ ...step, standing_ms: 60_000 })
  expect(controller.rate).toBeCloseTo(1_000 * Math.exp(-0.5), 6)
  controller.update({ ...step, standing_ms: 0 })
  expect(controller.rate).toBeCloseTo(1_000 * Math.exp(-0.5 + 0.15), 6)
  controller.update({ ...step, standing_ms: 0, length_ms: 200 })
  expect(controller.rate).toBeCloseTo(1_000 * Math.exp(-0.5 + 0.15 + 2 * 0.05), 6)
})

test('at least a twentieth of what is worked on is let in, and one message per second', () => {
  const controller = openController(200)
  for (let at = 0; at < 100; at++) controller.update({ ...step, standing_ms: 900, worked: 400 })
  expect(controller.rate).toBe(20)
  for (let at = 0; at < 100; at++) controller.update({ ...step, standing_ms: 900, worked: 0 })
  expect(controller.rate).toBe(1)
})

test('nothing is refused any more once more could be let in than is offered', () => {
  const controller = openController(200)
  controller.update({ ...step, standing_ms: 300 })
  expect(controller.rate).toBeLessThan(1_000)
  controller.update({ ...step, standing_ms: 90, offered: 100 })
  expect(controller.rate).toBe(Infinity)
})
