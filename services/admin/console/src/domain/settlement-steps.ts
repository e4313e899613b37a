/**
 * The next steps that the state machines of windows and settlements allow: only buttons for these
 * are shown.
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

/** The effect of each step on money, for the confirmation. */
export const stepEffects: Readonly<Record<AccountStep, string>> = {
  PENDING_SETTLEMENT: 'No money moves.',
  PS_TRANSFERS_RECORDED: 'The net amount of each participant is recorded; no money moves yet.',
  PS_TRANSFERS_RESERVED:
    'Participants that are owed money can no longer spend it, since the bank is about to pay it out. Send the instructions to the bank after this step.',
  PS_TRANSFERS_COMMITTED:
    'Participants that owed money may spend as much again. Confirm only after the bank has confirmed: this step cannot be undone.',
  SETTLED: 'The settlement is complete and can no longer change.',
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
