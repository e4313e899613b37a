/**
 * What came of notifications and the report about it are rows of one transaction. Everything that
 * ends while one transaction is under way goes into the next one.
 */
import { gather, type Database, type EventBus } from '@causeway/runtime'
import { reportOf, type Ended, type Result } from './contract.ts'
import type { Measures } from './measures.ts'
import { save } from './store.ts'

export type Record = (results: readonly Result[]) => Promise<void>

const results_max = 256

export function openRecord(db: Database, bus: EventBus, measures: Measures): Record {
  const work = gather<Result, undefined>(
    async (results) => {
      const ended = results.filter((result): result is Ended => result.type === 'ENDED')
      await db.transaction(async (tx) => {
        await save(tx, results)
        bus.announce(tx, reportOf(ended))
      })
      for (const end of ended) measures.ended(end)
      return results.map(() => undefined)
    },
    { batch_max: results_max },
  )
  return async (results) => {
    await work(results)
  }
}
