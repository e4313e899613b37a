/**
 * How a sandbox FSP behaves as a payee. It takes every payment, but a tester can have it otherwise:
 * by name, or by an amount that looks like the error code that comes of it.
 */
import { errorInformation } from '@causeway/fspiop'

export const conducts = ['commit', 'reserve', 'reject', 'delay', 'ignore'] as const

/**
 * commit: takes the money. reserve: asks the hub for its word first. reject: the customer says no.
 * delay: commits after two seconds. ignore: never answers, so that the transfer expires.
 */
export type Conduct = (typeof conducts)[number]

/** The extension of POST /transfers that names the conduct. */
export const conductExtension = 'payeeDoes'

const conductsByAmount: ReadonlyMap<string, Conduct> = new Map([
  ['11.01', 'reserve'],
  ['20.04', 'delay'],
  ['33.03', 'ignore'],
  ['51.04', 'reject'],
])

/** By name first, then by amount, in any currency. */
export function conductOf(amount: string, extensions: ReadonlyMap<string, string>): Conduct {
  const name = extensions.get(conductExtension)
  return conducts.find((conduct) => conduct === name) ?? conductsByAmount.get(amount) ?? 'commit'
}

export const rejection = errorInformation('5104', 'the sandbox was asked to reject it')
