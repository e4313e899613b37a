/** The methods of the accounts service: accounts by their own ids. */
import { announceAudit } from '@causeway/ledger'
import { isRefused, refusalMessage, refuse } from '@causeway/services'
import type { Handlers } from '@causeway/grpc'
import { formatAmount, parseDecimal } from '@causeway/money'
import type { Database } from '@causeway/postgres'
import type { accountsService, NewAccount } from '@causeway/protos'
import type { RefusedChange } from '../domain/refusal.ts'
import { currencyFault, percentageOf } from './contract.ts'
import type { AccountWanted, Models } from './domain/open.ts'
import { limitsFault } from './domain/scheme.ts'
import { setAccountStatus, setThreshold } from './domain/update.ts'
import { changeParticipant, type HandleParts } from './handle.ts'
import { openIn, type OpenedAccounts } from './open.ts'
import { ownerOf } from './store.ts'

type AccountsHandlers = Handlers<typeof accountsService>
type Creation = Parameters<AccountsHandlers['CreateParticipantAccountsWithLimits']>[0]
type Switch = Parameters<AccountsHandlers['EnabledParticipantAccount']>[0]

const accounts_max = 100

export function serveAccounts(database: Database, parts: HandleParts): AccountsHandlers {
  return {
    CreateParticipantAccountsWithLimits: (message) => created(parts, message),
    CreateParticipantAccountWithLimits: async (message) =>
      message.accounts.length === 1
        ? created(parts, message)
        : { accounts: [], refusal: refusalMessage(refuse('INVALID', 'exactly one account')) },
    EnabledParticipantAccount: (message) => switched(database, parts, message, true),
    DisabledParticipantAccount: (message) => switched(database, parts, message, false),
    UpdateParticipantAccountThreshold: async ({ accountId, alarmPercentage, actor, requestId }) => {
      const percentage = percentageOf(alarmPercentage)
      if (isRefused(percentage)) return threshold(percentage)
      const owner = await ownerOf(database, accountId)
      if (owner === undefined) return threshold(unknownAccount(accountId))
      const by = { actor, action: 'UpdateParticipantAccountThreshold', labels: { requestId } }
      let old: string | undefined
      const outcome = await changeParticipant(parts, owner, by, (one) => {
        const limit = one.accounts.find(({ id }) => id === accountId)?.limit
        old = limit ? formatAmount(limit.alarmPercentage) : undefined
        return setThreshold(one, accountId, percentage)
      })
      return outcome.type === 'REFUSE'
        ? threshold(outcome)
        : { old, new: formatAmount(percentage), refusal: null }
    },
  }
}

async function created(parts: HandleParts, message: Creation) {
  const { requestId, name, actor: createdBy } = message
  const accounts = accountsWanted(message.accounts)
  if (isRefused(accounts)) return { accounts: [], refusal: refusalMessage(accounts) }
  const tooFine = limitsFault(parts.rules.decimals?.(), accounts)
  if (tooFine !== undefined) return { accounts: [], refusal: refusalMessage(tooFine) }
  if (requestId === '' || requestId.length > 64) {
    const fault = refuse('INVALID', 'requestId has 1 to 64 characters')
    return { accounts: [], refusal: refusalMessage(fault) }
  }
  const models = await modelsOf(
    parts,
    accounts.map(({ currency }) => currency),
  )
  const by = { actor: createdBy, action: 'CreateParticipantAccountsWithLimits' }
  const outcome = await parts.writer.runExclusive(async (tx): Promise<OpenedAccounts> => {
    const opening = { requestId, name, accounts, models, createdBy }
    const opened = await openIn(tx, parts.bus, parts.rules.hubName, opening)
    if (opened.type === 'DONE' && opened.audited) announceAudit(parts.bus, tx, by, opened.audited)
    return opened
  })
  if (outcome.type === 'REFUSE') return { accounts: [], refusal: refusalMessage(outcome) }
  return {
    accounts: message.accounts.map(({ clientAccountKey }, index) => ({
      clientAccountKey,
      accountId: outcome.ids[index] ?? 0,
    })),
    refusal: null,
  }
}

/** The models of each currency, requested before any transaction is open. */
export async function modelsOf(
  parts: Pick<HandleParts, 'modelsOf'>,
  currencies: readonly string[],
): Promise<Models> {
  const different = [...new Set(currencies)]
  const models = await Promise.all(different.map((currency) => parts.modelsOf(currency)))
  return new Map(different.map((currency, index) => [currency, models[index] ?? []]))
}

function accountsWanted(accounts: readonly NewAccount[]): readonly AccountWanted[] | RefusedChange {
  if (accounts.length > accounts_max) return refuse('INVALID', `at most ${accounts_max} accounts`)
  const wanted: AccountWanted[] = []
  for (const { ledgerAccountType: type, currency, limit, alarmPercentage } of accounts) {
    const fault = currencyFault(currency)
    if (fault !== undefined) return fault
    const value = limit === undefined ? null : (parseDecimal(limit) ?? undefined)
    if (value === undefined || (value !== null && value < 0n)) {
      return refuse('INVALID', 'limit is a decimal of at least 0')
    }
    const percentage = alarmPercentage === undefined ? null : percentageOf(alarmPercentage)
    if (percentage !== null && isRefused(percentage)) return percentage
    wanted.push({ type, currency, limit: value, alarmPercentage: percentage })
  }
  return wanted
}

async function switched(
  database: Database,
  parts: HandleParts,
  { accountId, actor, requestId }: Switch,
  isActive: boolean,
) {
  const owner = await ownerOf(database, accountId)
  if (owner === undefined) return { refusal: refusalMessage(unknownAccount(accountId)) }
  const action = isActive ? 'EnabledParticipantAccount' : 'DisabledParticipantAccount'
  const by = { actor, action, labels: { requestId } }
  const outcome = await changeParticipant(parts, owner, by, (one) =>
    setAccountStatus(one, accountId, isActive),
  )
  return { refusal: outcome.type === 'REFUSE' ? refusalMessage(outcome) : null }
}

function unknownAccount(accountId: number): RefusedChange {
  return refuse('ACCOUNT_UNKNOWN', `there is no account ${accountId}`)
}

function threshold(refusal: RefusedChange) {
  return { refusal: refusalMessage(refusal) }
}
