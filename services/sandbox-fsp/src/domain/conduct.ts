/**
 * How a sandbox FSP behaves as a payee. It takes every payment, but a tester can have it otherwise:
 * by name, or by an amount that looks like the error code that comes of it.
 */
import { errorInformation } from '@causeway/fspiop'

export const conducts = [
  'commit',
  'reserve',
  'reject',
  'delay',
  'ignore',
  'charge',
  'rejectQuote',
] as const

/**
 * commit: takes the money. reserve: asks the hub for its word first. reject: the customer says no.
 * delay: commits after two seconds. ignore: never answers the transfer, so that it expires. charge:
 * wants a fee of 1. rejectQuote: agrees to no terms.
 */
export type Conduct = (typeof conducts)[number]

/** The extension of POST /quotes and POST /transfers that names the conduct. */
export const conductExtension = 'payeeDoes'

const conductsByAmount: ReadonlyMap<string, Conduct> = new Map([
  ['11.01', 'reserve'],
  ['12.01', 'charge'],
  ['20.04', 'delay'],
  ['33.03', 'ignore'],
  ['51.03', 'rejectQuote'],
  ['51.04', 'reject'],
])

/** By name first, then by amount, in any currency. */
export function conductOf(amount: string, extensions: ReadonlyMap<string, string>): Conduct {
  const name = extensions.get(conductExtension)
  return conducts.find((conduct) => conduct === name) ?? conductsByAmount.get(amount) ?? 'commit'
}

/** What is wrong with an account that a PISP's user pays this amount from, whatever is on it. */
export function accountStateOf(amount: string): 'READY' | 'WITHOUT_FUNDS' | 'OTHER_CURRENCY' {
  if (amount === '61.04') return 'WITHOUT_FUNDS'
  return amount === '41.03' ? 'OTHER_CURRENCY' : 'READY'
}

export const rejection = errorInformation('5104', 'the sandbox was asked to reject it')
export const quoteRejection = errorInformation('5103', 'the sandbox was asked to reject it')
export const feeAmount = '1'
