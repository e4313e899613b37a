/** Histories that once showed a defect: they run before all others. */
import type { Plan } from './history/plan/plan.ts'

export interface Kept {
  readonly name: string
  /** Whether it is for replicas over Kafka, or for the hub in one process. */
  readonly isDistributed: boolean
  readonly plan: Plan
}

export const kept: readonly Kept[] = [
  {
    name: 'a process comes back after others have read on in its partitions',
    isDistributed: true,
    plan: {
      seed: 5,
      trip_ms: 0,
      transfers: [
        {
          payer: 'mango',
          payee: 'river',
          amount: '0.01',
          begins_ms: 235,
          valid_ms: 3369,
          leads: [],
          answers: ['JUST'],
          again: [],
        },
        {
          payer: 'mango',
          payee: 'river',
          amount: '0.01',
          begins_ms: 1007,
          valid_ms: 3582,
          leads: [],
          answers: ['SILENT'],
          again: [],
        },
        {
          payer: 'river',
          payee: 'mango',
          amount: '1',
          begins_ms: 1197,
          valid_ms: 4363,
          leads: [],
          answers: ['RESERVE'],
          again: [],
        },
        {
          payer: 'mango',
          payee: 'river',
          amount: '1',
          begins_ms: 972,
          valid_ms: 1982,
          leads: ['LOOKUP'],
          answers: ['JUST'],
          again: [],
        },
        {
          payer: 'mango',
          payee: 'nobody',
          amount: '0.01',
          begins_ms: 478,
          valid_ms: 2984,
          leads: ['LOOKUP'],
          answers: ['LATE'],
          again: [],
        },
      ],
      bulks: [],
      links: [],
      acts: [],
      faults: [
        {
          type: 'FREEZE',
          lasts_ms: 15000,
          moment: { of: 'COMMIT', at: 3, since: { message: 'CALLBACK', n: 2 } },
        },
      ],
    },
  },
]
