import { describe, expect, test } from '@jest/globals'
import { openRedeliveryWindow } from './redelivery-window.ts'

describe('whether what is said may be a repeat', () => {
  test('is in doubt after a start until all that lay in the log is finished', () => {
    const redeliveryWindow = openRedeliveryWindow(10)
    expect(redeliveryWindow.isOpen).toBe(true)
    redeliveryWindow.settle(9, 10)
    expect(redeliveryWindow.isOpen).toBe(true)
    redeliveryWindow.settle(10, 10)
    expect(redeliveryWindow.isOpen).toBe(false)
  })

  test('is in doubt as long as a chain of events may go on', () => {
    const redeliveryWindow = openRedeliveryWindow(10)
    // Each round finishes what lay in the log before, and by then something more has been said.
    for (let link = 0; link < 7; link += 1) {
      redeliveryWindow.settle(10 + link, 11 + link)
      expect(redeliveryWindow.isOpen).toBe(true)
    }
    redeliveryWindow.settle(17, 18)
    expect(redeliveryWindow.isOpen).toBe(false)
  })

  test('is in doubt again after work that failed', () => {
    const redeliveryWindow = openRedeliveryWindow(0)
    redeliveryWindow.settle(0, 0)
    redeliveryWindow.begin(5)
    redeliveryWindow.settle(4, 5)
    expect(redeliveryWindow.isOpen).toBe(true)
    redeliveryWindow.settle(5, 5)
    expect(redeliveryWindow.isOpen).toBe(false)
  })
})
