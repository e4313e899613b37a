/** Wire ↔ domain of changes. A value out of bounds is refused as INVALID with its name. */
import { coverOfMessage } from '@causeway/ledger'
import { isRefused, refuse, type Refused } from '@causeway/ledger/domain'
import { formatAmount, parseAmount, parseDecimal } from '@causeway/money'
import type { Change, ChangeRecord } from '@causeway/protos'
import {
  creationFault,
  currencyFault,
  endpointFault,
  percentageOf,
} from '../participants/contract.ts'
import { accountsWanted } from '../participants/accounts.ts'
import type { ChangeRequest } from './domain/request.ts'
import type { Wanted, WantedAccount, WantedEndpoint } from './domain/wanted.ts'

const text_max = 256
const list_max = 100

/** The requested change, with amounts in canonical form. */
export function wantedOf(change: Change | null): Wanted | Refused {
  if (change?.createParticipant) return creation(change.createParticipant)
  if (change?.manageFunds) return funds(change.manageFunds)
  if (change?.reserveLiquidityCover) return cover(change.reserveLiquidityCover)
  if (change?.updateParticipantState) {
    const { participantId: participant, newState, reason } = change.updateParticipantState
    const fault = tooLong({ newState, reason })
    return fault ?? { type: 'UpdateParticipantState', participant, newState, reason }
  }
  if (change?.addParticipantAccount) {
    const { participantId: participant, ...account } = change.addParticipantAccount
    const read = accountsWanted([{ ...account, clientAccountKey: '' }])
    if (isRefused(read)) return read
    return { type: 'AddParticipantAccount', participant, account: inOneForm(account) }
  }
  if (change?.updateAccountStatus) {
    const { participantId: participant, accountId, isActive } = change.updateAccountStatus
    return { type: 'UpdateAccountStatus', participant, accountId, isActive }
  }
  if (change?.updateAccountLimit) return limit(change.updateAccountLimit)
  if (change?.updateAccountThreshold) {
    const { participantId: participant, accountId } = change.updateAccountThreshold
    const percentage = percentageOf(change.updateAccountThreshold.alarmPercentage)
    if (isRefused(percentage)) return percentage
    const alarmPercentage = formatAmount(percentage)
    return { type: 'UpdateAccountThreshold', participant, accountId, alarmPercentage }
  }
  if (change?.updateEndpoints) {
    const { participantId: participant } = change.updateEndpoints
    const endpoints = endpointsOf(change.updateEndpoints.endpoints)
    if (isRefused(endpoints)) return endpoints
    if (endpoints.length === 0) return refuse('INVALID', 'endpoints has at least one')
    return { type: 'UpdateEndpoints', participant, endpoints }
  }
  return nothing
}

const nothing = refuse('INVALID', 'a request is for exactly one change')

function creation(message: NonNullable<Change['createParticipant']>): Wanted | Refused {
  const { name: participant, type: participantType, currencies } = message
  if (participantType !== 'DFSP' && participantType !== 'PISP') {
    return refuse('INVALID', 'type is DFSP or PISP')
  }
  const fault =
    creationFault(participant, 'USD') ??
    currencies.map((currency) => currencyFault(currency)).find((one) => one !== undefined)
  if (fault !== undefined) return fault
  const accounts = accountsWanted(message.accounts)
  if (isRefused(accounts)) return accounts
  const all = [...currencies, ...accounts.map(({ currency }) => currency)]
  if ((participantType === 'DFSP') === (all.length === 0) || all.length > list_max) {
    return refuse('INVALID', 'a DFSP has currencies, a PISP has none')
  }
  const endpoints = endpointsOf(message.endpoints)
  if (isRefused(endpoints)) return endpoints
  return {
    type: 'CreateParticipant',
    participant,
    participantType,
    currencies: [...new Set(all)].toSorted(),
    accounts: message.accounts.map(inOneForm),
    endpoints,
  }
}

function funds(message: NonNullable<Change['manageFunds']>): Wanted | Refused {
  const { participantId: participant, accountId, direction, currency } = message
  const { externalReference, reason } = message
  const amount = parseAmount(message.amount)
  if (direction !== 'DEPOSIT' && direction !== 'WITHDRAWAL') {
    return refuse('INVALID', 'direction is DEPOSIT or WITHDRAWAL')
  }
  if (amount === undefined || amount === 0n) return refuse('INVALID', 'amount is above 0')
  const fault = currencyFault(currency) ?? tooLong({ externalReference, reason })
  if (fault !== undefined) return fault
  return {
    type: 'ManageFunds',
    participant,
    accountId,
    direction,
    amount: formatAmount(amount),
    currency,
    externalReference,
    reason,
  }
}

function cover(message: NonNullable<Change['reserveLiquidityCover']>): Wanted | Refused {
  const { participantId: participant, currency } = message
  const fault = currencyFault(currency)
  if (fault !== undefined) return fault
  const read = coverOfMessage({ ...message, requestId: '-', name: participant, actor: '' })
  if (isRefused(read)) return read
  const { mode, value } = read
  return { type: 'ReserveLiquidityCover', participant, currency, mode, value: formatAmount(value) }
}

function limit(message: NonNullable<Change['updateAccountLimit']>): Wanted | Refused {
  const { participantId: participant, accountId, type } = message
  const value = parseDecimal(message.value)
  if (type !== 'NET_DEBIT_CAP') return refuse('INVALID', 'type is NET_DEBIT_CAP')
  if (value === undefined || value < 0n) return refuse('INVALID', 'value is at least 0')
  return { type: 'UpdateAccountLimit', participant, accountId, value: formatAmount(value) }
}

function endpointsOf(endpoints: readonly WantedEndpoint[]): readonly WantedEndpoint[] | Refused {
  if (endpoints.length > list_max) return refuse('INVALID', `at most ${list_max} endpoints`)
  const values = new Map<string, string>()
  for (const { type, value } of endpoints) {
    const fault = endpointFault(type, value)
    if (fault !== undefined) return fault
    if (values.has(type)) return refuse('INVALID', `${type} is listed twice`)
    values.set(type, value)
  }
  return [...values].map(([type, value]) => ({ type, value }))
}

interface AccountMessage {
  readonly ledgerAccountType: string
  readonly currency: string
  readonly limit: string
  readonly alarmPercentage: string
}

function inOneForm(account: AccountMessage): WantedAccount {
  const { ledgerAccountType: type, currency } = account
  const decimal = (text: string): string => {
    const value = text === '' ? undefined : parseDecimal(text)
    return value === undefined ? '' : formatAmount(value)
  }
  return {
    type,
    currency,
    limit: decimal(account.limit),
    alarmPercentage: decimal(account.alarmPercentage),
  }
}

function tooLong(texts: Readonly<Record<string, string>>): Refused | undefined {
  const long = Object.entries(texts).find(([, text]) => text.length > text_max)
  return long && refuse('INVALID', `${long[0]} has at most ${text_max} characters`)
}

export function recordMessage(request: ChangeRequest): ChangeRecord {
  return {
    requestId: request.id,
    type: request.wanted.type,
    state: request.state,
    change: changeMessage(request.wanted),
    createdBy: request.createdBy,
    createdAt: request.createdAt.toISOString(),
    decidedBy: request.decidedBy ?? '',
    decidedAt: request.decidedAt?.toISOString() ?? '',
    note: request.note,
  }
}

function changeMessage(wanted: Wanted): Change {
  const { participant: participantId } = wanted
  switch (wanted.type) {
    case 'CreateParticipant': {
      const { participantType: type, currencies, accounts, endpoints } = wanted
      return {
        createParticipant: {
          name: participantId,
          type,
          currencies: [...currencies],
          accounts: accounts.map((account) => ({
            ...accountMessage(account),
            clientAccountKey: '',
          })),
          endpoints: [...endpoints],
        },
      }
    }
    case 'ManageFunds':
      return { manageFunds: { ...wanted, participantId } }
    case 'ReserveLiquidityCover':
      return { reserveLiquidityCover: { ...wanted, participantId } }
    case 'UpdateParticipantState':
      return { updateParticipantState: { ...wanted, participantId } }
    case 'AddParticipantAccount':
      return { addParticipantAccount: { ...accountMessage(wanted.account), participantId } }
    case 'UpdateAccountStatus':
      return { updateAccountStatus: { ...wanted, participantId } }
    case 'UpdateAccountLimit':
      return { updateAccountLimit: { ...wanted, participantId, type: 'NET_DEBIT_CAP' } }
    case 'UpdateAccountThreshold':
      return { updateAccountThreshold: { ...wanted, participantId } }
    case 'UpdateEndpoints':
      return { updateEndpoints: { participantId, endpoints: [...wanted.endpoints] } }
  }
}

function accountMessage({ type, currency, limit: cap, alarmPercentage }: WantedAccount) {
  return { ledgerAccountType: type, currency, limit: cap, alarmPercentage }
}
