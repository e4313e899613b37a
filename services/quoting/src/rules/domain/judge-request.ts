/** Decides whether the scheme allows a payer FSP's request. */
import type { AmountRule, Rule, VelocityRule, Violation } from './rule.ts'

/** The part of a request that rules check. */
export interface RequestFacts {
  readonly payerFsp: string
  readonly payeeFsp: string
  /** Ten-thousandths. */
  readonly amount: bigint
  readonly currency: string
  readonly scenario: string
}

/** The payments of a payer FSP in a currency within a window. */
export interface Usage {
  readonly count: bigint
  /** Ten-thousandths. */
  readonly amount: bigint
}

export interface Window {
  readonly payerFsp: string
  readonly currency: string
  readonly minutes: number
}

/** Usage by `windowKey`; an absent window has no payments. */
export type Usages = ReadonlyMap<string, Usage>

export function windowKey({ payerFsp, currency, minutes }: Window): string {
  return JSON.stringify([payerFsp, currency, minutes])
}

type Payer = Pick<RequestFacts, 'payerFsp' | 'currency'>

/** The windows whose usage the rules need, without duplicates. */
export function windowsOf(rules: readonly Rule[], payers: readonly Payer[]): readonly Window[] {
  const windows = new Map<string, Window>()
  for (const rule of rules) {
    if (rule.type !== 'VELOCITY') continue
    for (const payer of payers) {
      if (!speaksOfPayer(rule, payer)) continue
      const window = windowOf(rule, payer)
      windows.set(windowKey(window), window)
    }
  }
  return [...windows.values()]
}

/** The usages after one more payment. */
export function addPayment(
  usages: Map<string, Usage>,
  rules: readonly Rule[],
  payment: Payer & Pick<RequestFacts, 'amount'>,
): void {
  for (const window of windowsOf(rules, [payment])) {
    const key = windowKey(window)
    const { count = 0n, amount = 0n } = usages.get(key) ?? {}
    usages.set(key, { count: count + 1n, amount: amount + payment.amount })
  }
}

/** The first rule that the request breaks, in the order of the rules. */
export function judgeRequest(
  rules: readonly Rule[],
  request: RequestFacts,
  usages: Usages,
): Violation | undefined {
  for (const rule of rules) {
    const detail = faultOf(rule, request, usages)
    if (detail !== undefined) return { ruleId: rule.id, type: rule.type, detail }
  }
  return undefined
}

function faultOf(rule: Rule, request: RequestFacts, usages: Usages): string | undefined {
  switch (rule.type) {
    case 'CURRENCY':
      return rule.currencies.includes(request.currency)
        ? undefined
        : `${request.currency} is not allowed`
    case 'AMOUNT':
      return speaksOf(rule, request) ? amountFault(rule, request) : undefined
    case 'VELOCITY':
      return speaksOfPayer(rule, request) ? velocityFault(rule, request, usages) : undefined
    case 'FEE':
    case 'VALIDITY':
      return undefined
  }
}

function speaksOf(rule: AmountRule, request: RequestFacts): boolean {
  return (
    speaksOfPayer(rule, request) &&
    (rule.payeeFsp ?? request.payeeFsp) === request.payeeFsp &&
    (rule.scenario ?? request.scenario) === request.scenario
  )
}

function speaksOfPayer(rule: AmountRule | VelocityRule, { payerFsp, currency }: Payer): boolean {
  return rule.currency === currency && (rule.payerFsp ?? payerFsp) === payerFsp
}

function amountFault({ min, max }: AmountRule, { amount }: RequestFacts): string | undefined {
  if (min !== undefined && amount < min) return 'the amount is too small'
  if (max !== undefined && amount > max) return 'the amount is too large'
  return undefined
}

function velocityFault(
  rule: VelocityRule,
  request: RequestFacts,
  usages: Usages,
): string | undefined {
  const { count = 0n, amount = 0n } = usages.get(windowKey(windowOf(rule, request))) ?? {}
  const within = `within ${rule.windowMinutes} minutes`
  if (rule.maxCount !== undefined && count + 1n > rule.maxCount)
    return `too many payments ${within}`
  if (rule.maxAmount !== undefined && amount + request.amount > rule.maxAmount) {
    return `the amount paid is too large ${within}`
  }
  return undefined
}

function windowOf({ windowMinutes }: VelocityRule, { payerFsp, currency }: Payer): Window {
  return { payerFsp, currency, minutes: windowMinutes }
}
