/**
 * A movement: each step moves one amount from one account to another, so every step, and any sum of
 * steps, is balanced.
 */

import type { JournalStep } from '@causeway/protos'

export interface Movement {
  readonly step: JournalStep
  readonly debitAccountId: number
  readonly creditAccountId: number
  readonly amount: bigint
}
