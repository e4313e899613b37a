/** The promises of the event bus, as tests that every engine passes. */
import { afterEach, beforeEach, describe } from '@jest/globals'
import type { BusUnderTest } from './bus-under-test.ts'
import { whatIsDelivered } from './delivered.ts'
import { whatIsGivenUp } from './given-up.ts'
import { broadcasts } from './broadcast.ts'
import { whatIsNewer } from './from-newer-release.ts'
import { whatSurvives } from './survives.ts'
import { whatFollows } from './what-follows.ts'
import { howWorkIsCut } from './work-cut.ts'
import { testsOfLowWatermark } from './low-watermark.ts'

export function busContract(name: string, open: () => Promise<BusUnderTest>): void {
  describe(`${name} keeps the contract of the event bus:`, () => {
    let under: BusUnderTest
    beforeEach(async () => {
      under = await open()
    })
    afterEach(() => under.stop())
    const current = () => under
    const restart = async () => {
      under = await under.restart()
    }
    whatIsDelivered(current)
    howWorkIsCut(current)
    whatSurvives(current, restart)
    whatIsGivenUp(current, restart)
    whatIsNewer(current, restart)
    testsOfLowWatermark(current, restart)
    broadcasts(current, restart)
    whatFollows(current, restart)
  })
}
