/**
 * How a sandbox FSP behaves as a payee. It accepts every payment by default; a tester selects
 * another scenario by name, or by an amount that looks like the resulting error code.
 */
import { errorInformation } from '@causeway/fspiop'

export const scenarios = [
  'commit',
  'reserve',
  'reject',
  'delay',
  'ignore',
  'charge',
  'rejectQuote',
] as const

/**
 * commit: accepts the money. reserve: asks the hub for confirmation first. reject: the customer
 * refuses. delay: commits after two seconds. ignore: never answers the transfer, so that it
 * expires. charge: charges a fee of 1. rejectQuote: refuses the quote.
 */
export type Scenario = (typeof scenarios)[number]

/** The extension of POST /quotes and POST /transfers that names the scenario. */
export const scenarioExtension = 'payeeDoes'

const scenariosByAmount: ReadonlyMap<string, Scenario> = new Map([
  ['11.01', 'reserve'],
  ['12.01', 'charge'],
  ['20.04', 'delay'],
  ['33.03', 'ignore'],
  ['51.03', 'rejectQuote'],
  ['51.04', 'reject'],
])

/** By name first, then by amount, in any currency. */
export function scenarioOf(amount: string, extensions: ReadonlyMap<string, string>): Scenario {
  const name = extensions.get(scenarioExtension)
  return scenarios.find((conduct) => conduct === name) ?? scenariosByAmount.get(amount) ?? 'commit'
}

/**
 * What prevents a payment of this amount from an account of a PISP's user, whatever its balance.
 */
export function accountStateOf(amount: string): 'READY' | 'WITHOUT_FUNDS' | 'OTHER_CURRENCY' {
  if (amount === '61.04') return 'WITHOUT_FUNDS'
  return amount === '41.03' ? 'OTHER_CURRENCY' : 'READY'
}

export const rejection = errorInformation('5104', 'the scenario rejects it')
export const quoteRejection = errorInformation('5103', 'the scenario rejects it')
export const feeAmount = '1'
