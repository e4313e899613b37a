/**
 * The next steps that the state machines of windows and settlements allow, and what they do: only
 * buttons for these are shown, and their confirmation states the effect that the API shows.
 */
export const steps = [
  'PENDING_SETTLEMENT',
  'PS_TRANSFERS_RECORDED',
  'PS_TRANSFERS_RESERVED',
  'PS_TRANSFERS_COMMITTED',
  'SETTLED',
] as const

export type AccountStep = (typeof steps)[number]

/** The button label of each step. */
export const stepLabels: Readonly<Record<AccountStep, string>> = {
  PENDING_SETTLEMENT: 'Begin',
  PS_TRANSFERS_RECORDED: 'Record',
  PS_TRANSFERS_RESERVED: 'Reserve',
  PS_TRANSFERS_COMMITTED: 'Commit',
  SETTLED: 'Settle',
}

/** What an operator does before or after each step, in every model. */
const stepNotes: Readonly<Record<AccountStep, string>> = {
  PENDING_SETTLEMENT: 'No money moves.',
  PS_TRANSFERS_RECORDED: 'The net amount of each participant is recorded; no money moves yet.',
  PS_TRANSFERS_RESERVED: 'Send the instructions to the bank after this step.',
  PS_TRANSFERS_COMMITTED: 'Confirm only after the bank has confirmed: this step cannot be undone.',
  SETTLED: 'The settlement is complete and can no longer change.',
}

type Spending = 'LESS' | 'SAME' | 'MORE'

/** Within each bound of what a participant may spend. */
export interface Effect {
  readonly cover: Spending
  readonly netDebitCap: Spending
}

/** What a step changes, as the API shows it for each step of a settlement. */
export interface StepEffect {
  readonly state: string
  readonly owing: Effect
  readonly owed: Effect
  readonly awaitsFundsOut: boolean
}

/** For the confirmation of a step; without effects, which an older hub does not show, its note. */
export function stepText(step: AccountStep, effects: readonly StepEffect[] = []): string {
  return [...spendingSentences(step, effects), stepNotes[step]].join(' ')
}

/** For the confirmation of an abort. */
export function abortText(
  accounts: readonly SteppingAccount[],
  effects: readonly StepEffect[] = [],
): string {
  const isReserved = accounts.some(({ state }) => state === 'PS_TRANSFERS_RESERVED')
  const sentences = isReserved ? spendingSentences('ABORTED', effects) : []
  const note = 'Balances that it has moved are moved back; its windows can be settled again.'
  return [...sentences, note].join(' ')
}

const untilFundsOut = 'What a participant owes is no cover until its funds out are recorded.'

/** Undefined before an account is committed, and where no funds out are awaited. */
export function fundsOutText(
  accounts: readonly SteppingAccount[],
  effects: readonly StepEffect[] = [],
): string | undefined {
  const committed = 'PS_TRANSFERS_COMMITTED'
  const isAwaited = effects.some(
    ({ state, awaitsFundsOut }) => state === committed && awaitsFundsOut,
  )
  const isCommitted = accounts.some(({ state }) => hasReached(state ?? '', committed))
  return isAwaited && isCommitted ? untilFundsOut : undefined
}

function spendingSentences(step: string, effects: readonly StepEffect[]): readonly string[] {
  const effect = effects.find(({ state }) => state === step)
  if (effect === undefined) return []
  const { owing, owed, awaitsFundsOut } = effect
  const changes = [...spendingSentence('owe', owing), ...spendingSentence('are owed', owed)]
  return [
    ...(changes.length === 0 ? ['What participants may spend does not change.'] : changes),
    ...(awaitsFundsOut ? [untilFundsOut] : []),
  ]
}

const spendingWords: Readonly<Record<Spending, string>> = {
  LESS: 'less',
  SAME: 'as much as before',
  MORE: 'more',
}

function spendingSentence(
  verb: 'owe' | 'are owed',
  { cover, netDebitCap }: Effect,
): readonly string[] {
  const [inCover, inCap] = [spendingWords[cover], spendingWords[netDebitCap]]
  const change =
    cover === netDebitCap
      ? inCover
      : `${inCover} within their cover, and ${inCap} within their net debit cap`
  return cover === 'SAME' && netDebitCap === 'SAME'
    ? []
    : [`Participants that ${verb} money may spend ${change}, by what they ${verb}.`]
}

/** Whether a settlement has reached this step; SETTLING counts as COMMITTED. */
export function hasReached(state: string, step: AccountStep): boolean {
  const at = state === 'SETTLING' ? 'PS_TRANSFERS_COMMITTED' : state
  return steps.findIndex((each) => each === at) >= steps.indexOf(step)
}

/** The state directly after an account's own; undefined when there is none. */
export function nextStep(state: string): AccountStep | undefined {
  const at = steps.findIndex((step) => step === state)
  return at === -1 ? undefined : steps[at + 1]
}

export interface SteppingAccount {
  readonly state?: string | undefined
}

/**
 * The step that advances the whole settlement: that of its accounts in the earliest state.
 * undefined when none can step.
 */
export function settlementStep(accounts: readonly SteppingAccount[]): AccountStep | undefined {
  const behind = Math.min(...accounts.map(({ state }) => steps.indexOf(state as AccountStep)))
  return behind < 0 ? undefined : steps[behind + 1]
}

/** Possible until an account is committed. */
export function canAbort(state: string, accounts: readonly SteppingAccount[]): boolean {
  const early: readonly string[] = steps.slice(0, 3)
  return early.includes(state) && accounts.every((account) => early.includes(account.state ?? ''))
}

/**
 * The members of a settlement model and of a window's content that decide whether one settles the
 * other.
 */
export interface SettlingModel {
  readonly isActive: boolean
  /** null: of all currencies that have no model of their own. */
  readonly currency: string | null
  /** The account type, whatever the API calls the member. */
  readonly ledgerAccountTypeId: string
  readonly settlementDelay: string
}

export interface Content {
  readonly state: string
  readonly currencyId: string
  readonly ledgerAccountType: string
}

/** A model that settles immediately, or has no transfers, leaves nothing to settle. */
export function settlesLater({ isActive, settlementDelay, ledgerAccountTypeId }: SettlingModel) {
  return isActive && settlementDelay === 'DEFERRED' && ledgerAccountTypeId !== 'SETTLEMENT'
}

/** Whether this model settles the content; others are the models of all currencies. */
export function waitsFor(
  { state, currencyId, ledgerAccountType }: Content,
  model: SettlingModel,
  others: readonly SettlingModel[],
): boolean {
  if (state !== 'CLOSED' && state !== 'ABORTED') return false
  if (ledgerAccountType !== model.ledgerAccountTypeId) return false
  if (model.currency !== null) return model.currency === currencyId
  return !others.some(
    (other) => other.currency === currencyId && other.ledgerAccountTypeId === ledgerAccountType,
  )
}

export function canClose(windowState: string): boolean {
  return windowState === 'OPEN'
}

/** A window can be settled when it is closed, or its earlier settlement was aborted. */
export function canSettle(windowState: string): boolean {
  return ['CLOSED', 'ABORTED', 'PENDING_SETTLEMENT'].includes(windowState)
}
