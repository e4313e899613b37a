import { describe, expect, test } from '@jest/globals'
import { openRedeliveryWindow } from './redelivery-window.ts'

describe('The redelivery window:', () => {
  test('After a start, messages may be repeats until all that was in the log is finished', () => {
    const redeliveryWindow = openRedeliveryWindow(10)
    expect(redeliveryWindow.isOpen).toBe(true)
    redeliveryWindow.settle(9, 10)
    expect(redeliveryWindow.isOpen).toBe(true)
    redeliveryWindow.settle(10, 10)
    expect(redeliveryWindow.isOpen).toBe(false)
  })

  test('Messages may be repeats as long as a chain of events may continue', () => {
    const redeliveryWindow = openRedeliveryWindow(10)
    // Each round finishes what was in the log before, and by then more has been published.
    for (let link = 0; link < 7; link += 1) {
      redeliveryWindow.settle(10 + link, 11 + link)
      expect(redeliveryWindow.isOpen).toBe(true)
    }
    redeliveryWindow.settle(17, 18)
    expect(redeliveryWindow.isOpen).toBe(false)
  })

  test('After a failure, messages may be repeats again', () => {
    const redeliveryWindow = openRedeliveryWindow(0)
    redeliveryWindow.settle(0, 0)
    redeliveryWindow.begin(5)
    redeliveryWindow.settle(4, 5)
    expect(redeliveryWindow.isOpen).toBe(true)
    redeliveryWindow.settle(5, 5)
    expect(redeliveryWindow.isOpen).toBe(false)
  })
})
