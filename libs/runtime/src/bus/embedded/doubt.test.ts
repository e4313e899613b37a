import { describe, expect, test } from '@jest/globals'
import { openDoubt } from './doubt.ts'

describe('whether what is said may be a repeat', () => {
  test('is in doubt after a start until all that lay in the log is finished', () => {
    const doubt = openDoubt(10)
    expect(doubt.isOpen).toBe(true)
    doubt.settle(9, 10)
    expect(doubt.isOpen).toBe(true)
    doubt.settle(10, 10)
    expect(doubt.isOpen).toBe(false)
  })

  test('is in doubt as long as a chain of events may go on', () => {
    const doubt = openDoubt(10)
    // Each round finishes what lay in the log before, and by then something more has been said.
    for (let link = 0; link < 7; link += 1) {
      doubt.settle(10 + link, 11 + link)
      expect(doubt.isOpen).toBe(true)
    }
    doubt.settle(17, 18)
    expect(doubt.isOpen).toBe(false)
  })

  test('is in doubt again after work that failed', () => {
    const doubt = openDoubt(0)
    doubt.settle(0, 0)
    doubt.begin(5)
    doubt.settle(4, 5)
    expect(doubt.isOpen).toBe(true)
    doubt.settle(5, 5)
    expect(doubt.isOpen).toBe(false)
  })
})
