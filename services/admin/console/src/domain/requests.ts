/** Changes that need approval, each in a sentence. */
import { shownAmount, type Amount } from './amounts.ts'

type RequestedChange = Readonly<Record<string, unknown>>

const sentences = {
  CreateParticipant: (change) => `${text(change['name'])} joins the scheme`,
  ManageFunds: (change) => {
    const { amount = '0', currency = '' } = (change['amount'] ?? {}) as {
      readonly amount?: Amount
      readonly currency?: string
    }
    const sum = `${shownAmount(amount, currency)} ${currency}`
    return change['direction'] === 'DEPOSIT'
      ? `${sum} in for ${who(change)}`
      : `${sum} out to ${who(change)}`
  },
  ReserveLiquidityCover: (change) => {
    const currency = text(change['currency'])
    const value = text(change['value'])
    const part =
      change['mode'] === 'PERCENT' ? `${value} %` : `${shownAmount(value, currency)} ${currency}`
    return Number(value) === 0
      ? `payments of ${who(change)} may use all of its cover in ${currency}`
      : `payments of ${who(change)} may not use ${part} of its cover in ${currency}`
  },
  UpdateParticipantState: (change) => `${who(change)} becomes ${text(change['newState'])}`,
  AddParticipantAccount: (change) =>
    `${who(change)} gets an account ${text(change['ledgerAccountType'])} in ${text(change['currency'])}`,
  UpdateAccountStatus: (change) =>
    `${account(change)} is ${change['isActive'] === true ? 'enabled' : 'disabled'}`,
  UpdateAccountLimit: (change) =>
    `the net debit cap of ${account(change)} becomes ${shownAmount(text(change['value']))}`,
  UpdateAccountThreshold: (change) =>
    `the alarm threshold of ${account(change)} becomes ${text(change['alarmPercentage'])} % of its cap`,
  UpdateEndpoints: (change) => `the endpoints of ${who(change)} change`,
  UpdateLiquidityCheck: (change) =>
    change['requireLiquidityCheck'] === true
      ? `payments under the model ${text(change['settlementModel'])} need cover`
      : `payments under the model ${text(change['settlementModel'])} need no cover: the net debit cap is their only bound`,
  ConfigurationValues: (change) =>
    `the configuration of ${text(change['boundedContextId'])} changes`,
  SecretValues: (change) => `secrets of ${text(change['boundedContextId'])} change`,
  SchemeRules: () => 'the scheme rules change',
  CryptoAdapter: (change) =>
    change['adapter'] === 'PKCS11'
      ? 'new keys are made in the HSM'
      : 'new keys are made outside the HSM',
  MonthErasure: (change) => `the messages of ${text(change['month'])} become unreadable for ever`,
  PersonErasure: (change) => `${party(change)} is erased for ever`,
  Operation: (change) => text(change['operation']),
} satisfies Readonly<Record<string, (change: RequestedChange) => string>>

/** A kind that the API has, and this table lacks, does not compile where requests are shown. */
export type RequestKind = keyof typeof sentences

export function requestSentence(kind: RequestKind, change: RequestedChange): string {
  return sentences[kind](change)
}

function who(change: RequestedChange): string {
  return text(change['participantId'])
}

function party(change: RequestedChange): string {
  return `${text(change['partyIdType'])} ${text(change['partyIdentifier'])}`
}

function account(change: RequestedChange): string {
  return `account ${text(change['accountId'])} of ${who(change)}`
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '?'
}
