/** Changes that need approval: the calls of each kind, and the request in a sentence. */
import { shownAmount, type Amount } from './amounts.ts'

/** The maker's call, the list of pending requests, and the checker's call. */
export const requestKinds = [
  ['CreateParticipant', 'GetPendingParticipants', 'ApproveParticipant'],
  ['ManageFunds', 'GetPendingManageFunds', 'ApproveManageFunds'],
  [
    'ReserveLiquidityCover',
    'GetPendingLiquidityCoverReservations',
    'ApproveLiquidityCoverReservation',
  ],
  ['UpdateParticipantState', 'GetPendingStateUpdates', 'ApproveParticipantStateUpdate'],
  ['AddParticipantAccount', 'GetPendingParticipantsAccounts', 'ApproveParticipantAccount'],
  ['UpdateAccountStatus', 'GetPendingAccountsWithStatusUpdates', 'ApproveAccountStatusUpdate'],
  ['UpdateAccountLimit', 'GetPendingAccountsWithLimitUpdates', 'ApproveAccountLimitUpdate'],
  [
    'UpdateAccountThreshold',
    'GetPendingAccountsWithThresholdUpdates',
    'ApproveAccountThresholdUpdate',
  ],
  ['UpdateEndpoints', 'GetPendingEndpointUpdates', 'ApproveEndpointsUpdate'],
  ['ConfigurationValues', 'GetPendingConfigurationValues', 'ApproveConfigurationValues'],
  ['SecretValues', 'GetPendingSecretValues', 'ApproveSecretValues'],
  ['SchemeRules', 'GetPendingSchemeRules', 'ApproveSchemeRules'],
  ['CryptoAdapter', 'GetPendingCryptoAdapter', 'ApproveCryptoAdapter'],
  ['MonthErasure', 'GetPendingErasures', 'ApproveErasure'],
  ['Operation', 'GetPendingOperations', 'ApproveOperation'],
] as const

export type RequestKind = (typeof requestKinds)[number][0]

type Change = Readonly<Record<string, unknown>>

const sentences: Readonly<Record<RequestKind, (change: Change) => string>> = {
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
  ConfigurationValues: (change) =>
    `the configuration of ${text(change['boundedContextId'])} changes`,
  SecretValues: (change) => `secrets of ${text(change['boundedContextId'])} change`,
  SchemeRules: () => 'the scheme rules change',
  CryptoAdapter: (change) =>
    change['adapter'] === 'PKCS11'
      ? 'new keys are made in the HSM'
      : 'new keys are made outside the HSM',
  MonthErasure: (change) => `the messages of ${text(change['month'])} become unreadable for ever`,
  Operation: (change) => text(change['operation']),
}

/** What waits for a decision, as far as the services answered. */
export interface Pending<Waiting> {
  /** The oldest first. */
  readonly waiting: readonly Waiting[]
  /** The kinds whose service did not answer. */
  readonly missing: readonly RequestKind[]
}

/**
 * `lists`: one for each kind, in the order of `requestKinds`. Throws the first failure when no list was
 * answered, as after the end of a session.
 */
export function pendingOf<Waiting extends { readonly request: { readonly createdDate: string } }>(
  lists: readonly PromiseSettledResult<readonly Waiting[]>[],
): Pending<Waiting> {
  const failures = lists.flatMap((list) =>
    list.status === 'rejected' ? [list.reason as Error] : [],
  )
  const [first] = failures
  if (first !== undefined && failures.length === lists.length) throw first
  const waiting = lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []))
  return {
    waiting: waiting.toSorted((a, b) => a.request.createdDate.localeCompare(b.request.createdDate)),
    missing: requestKinds.filter((_, at) => lists[at]?.status === 'rejected').map(([kind]) => kind),
  }
}

/** A kind that this console does not know is shown by its name. */
export function requestSentence(type: string, change: Change): string {
  // Listed together with those of months.
  if (type === 'PersonErasure') return `${party(change)} is erased for ever`
  return Object.hasOwn(sentences, type) ? sentences[type as RequestKind](change) : type
}

function who(change: Change): string {
  return text(change['participantId'])
}

function party(change: Change): string {
  return `${text(change['partyIdType'])} ${text(change['partyIdentifier'])}`
}

function account(change: Change): string {
  return `account ${text(change['accountId'])} of ${who(change)}`
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '?'
}
