/**
 * What the state machines of windows and settlements allow next: the buttons are drawn from here, so
 * that none is shown that the API would refuse for the state.
 */
export const steps = [
  'PENDING_SETTLEMENT',
  'PS_TRANSFERS_RECORDED',
  'PS_TRANSFERS_RESERVED',
  'PS_TRANSFERS_COMMITTED',
  'SETTLED',
] as const

export type AccountStep = (typeof steps)[number]

/** What a step does, for whoever presses the button. */
export const stepLabels: Readonly<Record<AccountStep, string>> = {
  PENDING_SETTLEMENT: 'Begin',
  PS_TRANSFERS_RECORDED: 'Record',
  PS_TRANSFERS_RESERVED: 'Reserve',
  PS_TRANSFERS_COMMITTED: 'Commit',
  SETTLED: 'Settle',
}

/** What it does to money, for whoever is about to press it. */
export const stepEffects: Readonly<Record<AccountStep, string>> = {
  PENDING_SETTLEMENT: 'No money moves.',
  PS_TRANSFERS_RECORDED: 'What each owes is written down; no money moves yet.',
  PS_TRANSFERS_RESERVED:
    'Who is owed money can no longer spend it, since the bank is about to pay it out. Send the bank its instructions after this.',
  PS_TRANSFERS_COMMITTED:
    'Who owed money may spend as much again. Only when the bank has confirmed, for this cannot be taken back.',
  SETTLED: 'It is over, and nothing of it can be changed any more.',
}

/** Whether a settlement has taken this step; SETTLING is as far as COMMITTED. */
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
 * The step that brings the whole settlement forward: that of its accounts that lag behind most.
 * undefined when none can step.
 */
export function settlementStep(accounts: readonly SteppingAccount[]): AccountStep | undefined {
  const behind = Math.min(...accounts.map(({ state }) => steps.indexOf(state as AccountStep)))
  return behind < 0 ? undefined : steps[behind + 1]
}

/** Nothing has been committed yet. */
export function canAbort(state: string, accounts: readonly SteppingAccount[]): boolean {
  const early: readonly string[] = steps.slice(0, 3)
  return early.includes(state) && accounts.every((account) => early.includes(account.state ?? ''))
}

/** As much of a settlement model, and of what a window holds, as says whether one settles the other. */
export interface SettlingModel {
  readonly isActive: boolean
  /** Empty: it serves the currencies that have no model of their own. */
  /** null: of all currencies that have no model of their own. */
  readonly currency: string | null
  /** The name of a type, whatever the API calls the member. */
  readonly ledgerAccountTypeId: string
  readonly settlementDelay: string
}

export interface Content {
  readonly state: string
  readonly currencyId: string
  readonly ledgerAccountType: string
}

/** What settles at once, and what no transfer is ever allocated to, leaves nothing to settle. */
export function settlesLater({ isActive, settlementDelay, ledgerAccountTypeId }: SettlingModel) {
  return isActive && settlementDelay === 'DEFERRED' && ledgerAccountTypeId !== 'SETTLEMENT'
}

/** Whether what a window holds waits for this model; others are the models of all currencies. */
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

/** A window can go into a settlement when it is closed, or an earlier settlement was aborted. */
export function canSettle(windowState: string): boolean {
  return ['CLOSED', 'ABORTED', 'PENDING_SETTLEMENT'].includes(windowState)
}
