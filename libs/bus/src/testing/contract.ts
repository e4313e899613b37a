/** The contract of the event bus, as tests that every engine passes. */
import { afterEach, beforeEach, describe } from '@jest/globals'
import type { BusUnderTest } from './bus-under-test.ts'
import { testsOfDelivery } from './delivery.ts'
import { testsOfDeadLetters } from './dead-letters.ts'
import { testsOfBroadcasts } from './broadcast.ts'
import { testsOfNewerReleases } from './from-newer-release.ts'
import { testsOfRecovery } from './recovery.ts'
import { testsOfDerivedEvents } from './derived-events.ts'
import { testsOfBatches } from './batches.ts'
import { testsOfLowWatermark } from './low-watermark.ts'

export function busContract(name: string, open: () => Promise<BusUnderTest>): void {
  describe(`Contract of the event bus, ${name}:`, () => {
    let under: BusUnderTest
    beforeEach(async () => {
      under = await open()
    })
    afterEach(() => under.stop())
    const current = () => under
    const restart = async () => {
      under = await under.restart()
    }
    testsOfDelivery(current)
    testsOfBatches(current)
    testsOfRecovery(current, restart)
    testsOfDeadLetters(current, restart)
    testsOfNewerReleases(current, restart)
    testsOfLowWatermark(current, restart)
    testsOfBroadcasts(current, restart)
    testsOfDerivedEvents(current, restart)
  })
}
