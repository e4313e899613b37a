/**
 * Raises alarms when a batch has brought a position near its limit or was refused for lack of
 * liquidity, and publishes positions that a settlement step has moved. Events and alarm state are
 * written in the batch's own transaction. A batch that touches no limit costs one comparison per
 * account.
 */
import type { EventBus, OutgoingMessage } from '@causeway/bus'
import { newEvent } from '@causeway/events'
import { formatAmount } from '@causeway/money'
import type { Transaction } from '@causeway/postgres'
import type { ActiveAlarmKind } from '@causeway/protos'
import { valueOf } from '../domain/account.ts'
import { remainingPercentage, type AlarmRules } from './domain/alarm.ts'
import { crossingsOf, type Crossing, type DecidedAccounts } from './domain/crossings.ts'
import { saveAlarms } from './store.ts'

export interface ThresholdAlarms {
  /** Undefined when there is nothing to store. */
  afterBatch(tx: Transaction, decided: DecidedAccounts): Promise<void> | undefined
}

export function openThresholdAlarms(bus: EventBus, rules: AlarmRules): ThresholdAlarms {
  return {
    afterBatch(tx, decided) {
      const moved = positionsMoved(decided)
      if (moved.length > 0) bus.announce(tx, moved)
      const crossings = crossingsOf(decided, rules)
      return crossings.length === 0 ? undefined : raiseAlarms(bus, tx, crossings, decided.rows.now)
    },
  }
}

async function raiseAlarms(
  bus: EventBus,
  tx: Transaction,
  crossings: readonly Crossing[],
  now: Date,
): Promise<void> {
  const names = await saveAlarms(
    tx,
    crossings.map(({ account, alarms }) => ({ accountId: account.id, alarms })),
  )
  const events = crossings.flatMap((crossing) => {
    const name = names.get(crossing.account.id)
    if (name === undefined) throw new Error(`account ${crossing.account.id} no longer has a limit`)
    return crossing.notified.map((kind) => exceeded(name, crossing, kind, now))
  })
  if (events.length > 0) bus.announce(tx, events)
}

function exceeded(
  participantId: string,
  { account, reading }: Crossing,
  kind: ActiveAlarmKind,
  now: Date,
): OutgoingMessage {
  return newEvent('participant-lifecycle', 'ParticipantLiquidityThresholdExceeded', {
    participantId,
    accountId: account.id,
    currency: account.currency,
    kind,
    alarmPercentage: formatAmount(reading.alarmPercentage),
    remainingPercentage: formatAmount(remainingPercentage(reading)),
    position: formatAmount(reading.position),
    limit: formatAmount(reading.limit),
    occurredAt: now.toISOString(),
  })
}

/** Positions moved by settlements: each once, with its value after all movements. */
function positionsMoved({ rows, changes }: DecidedAccounts): readonly OutgoingMessage[] {
  const { entered, accounts } = changes
  const owners = new Map<number, string>()
  for (const { kind, terms, accounts: moved } of entered) {
    if (kind !== 'SETTLEMENT' || terms === null || moved === null) continue
    owners.set(moved.debitAccountId, terms.payer).set(moved.creditAccountId, terms.payee)
  }
  if (owners.size === 0) return []
  return accounts.flatMap((account) => {
    const participantId = owners.get(account.id)
    if (participantId === undefined || account.type !== 'POSITION') return []
    return [
      newEvent('participant-lifecycle', 'ParticipantPositionChanged', {
        participantId,
        accountId: account.id,
        currency: account.currency,
        value: formatAmount(valueOf(account)),
        changedAt: rows.now.toISOString(),
      }),
    ]
  })
}
