/**
 * The months of the journal: its partitions are made by the calendar of this process, its rows are
 * stamped by the clock of the database. A clock that is wrong by months must not stop the ledger,
 * so each row is filed under a month whose partition exists.
 */
import {
  ensureMonthlyPartitions,
  filedMonthOf,
  months_ahead,
  type Queries,
} from '@causeway/postgres'

export interface JournalMonths {
  /** Makes the partitions around this time. */
  make(db: Queries, now: Date): Promise<void>
  /** 'YYYY-MM-01': the month of the time, or the nearest one that was made. */
  of(time: Date): string
}

/** Before the first `make` there is none. */
export function openJournalMonths(): JournalMonths {
  let madeAt: Date | undefined
  return {
    async make(db, now) {
      await ensureMonthlyPartitions(db, ['journal'], now)
      madeAt = now
    },
    of(time) {
      if (madeAt === undefined) throw new Error('the journal has no partitions yet')
      // A month may have begun since.
      return filedMonthOf(time, madeAt, months_ahead)
    },
  }
}
