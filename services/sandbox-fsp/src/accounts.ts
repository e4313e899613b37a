/** Fictitious accounts of the sandbox FSPs' customers, which a PISP may ask to link. */
import type { LinkableAccount, NamedParty } from '@causeway/fsp'
import { customersOf, type SandboxName } from './customers.ts'

const kinds = [
  { kind: 'everyday', accountNickname: 'Everyday account' },
  { kind: 'savings', accountNickname: 'Savings' },
] as const

/**
 * The accounts of the customer with that number, which is the user id at the FSP; none for an
 * unknown number.
 */
export function accountsOf(fsp: SandboxName, userId: string): readonly LinkableAccount[] {
  if (customersOf(fsp).every(({ id }) => id !== userId)) return []
  return kinds.map(({ kind, accountNickname }) => ({
    address: `${fsp}.${userId}.${kind}`,
    currency: 'USD',
    accountNickname,
  }))
}

/** The owner of the account; undefined: no such account. */
export function holderOf(fsp: SandboxName, address: string): NamedParty | undefined {
  return customersOf(fsp).find(({ id }) =>
    accountsOf(fsp, id).some((account) => account.address === address),
  )
}
