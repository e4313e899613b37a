import { expect, test } from '@jest/globals'
import { busyTicks, readStat } from './cpu.ts'

test('The stat of a process is read although its name contains brackets and blanks', () => {
  const text = '42 (a (b) c) S 7 42 42 0 -1 4194560 1 2 3 4 100 20 3 1 20 0 11 0 5\n'
  expect(readStat(text)).toEqual({ parent: 7, own_ticks: 120, ended_children_ticks: 4 })
})

test("The machine's busy time leaves out waiting and guests", () => {
  const text = 'cpu  100 10 50 9000 800 5 4 3 70 7\ncpu0 1 1 1 1 1 1 1 1 1 1\n'
  expect(busyTicks(text)).toBe(172)
})
