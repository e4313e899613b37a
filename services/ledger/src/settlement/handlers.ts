/**
 * The ledger methods for settlements and about its models. An unreadable value is the caller's
 * error.
 */
import type { Handlers } from '@causeway/grpc'
import { parseAmount, parseDecimal } from '@causeway/money'
import type { Database } from '@causeway/postgres'
import {
  settlementAccountTypeValues,
  type FeeRule as FeeRuleMessage,
  type ledgerService,
  type ModelRule,
  type SettlementEntry,
} from '@causeway/protos'
import { entryMessage, positionMessage } from '../contract.ts'
import type { FeeRule } from '../domain/fee.ts'
import type { AccountRef, Settle } from '../domain/settle.ts'
import { saveFee, windowFeesAfter } from './fee-store.ts'
import { rulesOf, saveRule, type StoredRule } from './rule-store.ts'
import { postEntries, type SettleParts } from './settle.ts'
import type { Writer } from '../writer.ts'

const entries_max = 2_000
const page_max = 10_000
const percentage_max = 1_000_000n

export interface SettlementHandlersParts extends SettleParts {
  readonly database: Database
  readonly writer: Pick<Writer, 'runExclusive'>
}

type SettlementHandlers = Pick<
  Handlers<typeof ledgerService>,
  | 'ListModelRules'
  | 'ListWindowFees'
  | 'PostSettlementEntries'
  | 'SetInterchangeFee'
  | 'SetModelRule'
>

export function settlementHandlers(parts: SettlementHandlersParts): SettlementHandlers {
  const { database, writer } = parts
  return {
    ListWindowFees: async ({ windowId, afterId, limit }) => {
      const size = Math.min(Math.max(limit, 1), page_max)
      const entries = await windowFeesAfter(database, windowId, afterId, size)
      return { entries: entries.map(entryMessage) }
    },
    PostSettlementEntries: async ({ entries, stepId = null, isFirst }) => {
      if (entries.length > entries_max) {
        throw new RangeError(`at most ${entries_max} entries are posted at once`)
      }
      const step = { stepId, isFirst, commands: entries.map(commandOf) }
      const posted = await writer.runExclusive((tx) => postEntries(tx, parts, step))
      if (posted.outcome !== 'POSTED') return { ...posted, positions: [] }
      const positions = posted.positions.map(positionMessage)
      return { outcome: 'POSTED', positions, stepEnded: false }
    },
    SetInterchangeFee: async ({ currency, rule: sent }) => {
      const rule = sent === null ? null : feeRuleOf(sent)
      if (rule === undefined) {
        return { refusal: { reason: 'INVALID', detail: `${sent?.percentage} is not a percentage` } }
      }
      await writer.runExclusive((tx) => saveFee(tx, currency, rule))
      return { refusal: null }
    },
    SetModelRule: async (message) => {
      const rule = storedRuleOf(message)
      if (rule === undefined) {
        const detail = `${message.coverType} does not cover positions`
        return { refusal: { reason: 'INVALID', detail } }
      }
      await writer.runExclusive((tx) => saveRule(tx, rule))
      return { refusal: null }
    },
    ListModelRules: async () => {
      const rules = await rulesOf(database)
      return {
        rules: rules.map(({ modelId, model, currency, ...rule }) => ({
          settlementModelId: modelId,
          settlementModel: model,
          currency: currency || undefined,
          ...rule,
        })),
      }
    },
  }
}

/** A net is a sum: it may be longer than an amount. */
function commandOf(entry: SettlementEntry): Settle {
  const amount = parseDecimal(entry.amount)
  if (amount === undefined || amount <= 0n || entry.entryId === '') {
    throw new RangeError(`${entry.entryId} of ${entry.amount} is not a settlement entry`)
  }
  return {
    id: entry.entryId,
    debit: accountRefOf(entry.debitParticipant, entry.debitAccountType),
    credit: accountRefOf(entry.creditParticipant, entry.creditAccountType),
    amount,
    currency: entry.currency,
    awaitsFundsOut: entry.awaitsFundsOut,
  }
}

function accountRefOf(participant: string | undefined, type: string): AccountRef {
  return { participant: participant ?? null, type }
}

/** Undefined: unreadable. */
function feeRuleOf({ settlementModelId: modelId, ...sent }: FeeRuleMessage): FeeRule | undefined {
  const percentage = parseAmount(sent.percentage)
  if (percentage === undefined || percentage === 0n || percentage > percentage_max) return undefined
  return { modelId, percentage }
}

/** Undefined: unreadable. */
function storedRuleOf({
  settlementModelId: modelId,
  settlementModel: model,
  coverType,
  ...rule
}: ModelRule): StoredRule | undefined {
  if (!settlementAccountTypeValues.includes(coverType)) return undefined
  const { currency = '', isActive, requireLiquidityCheck } = rule
  return { modelId, model, currency, isActive, coverType, requireLiquidityCheck }
}
