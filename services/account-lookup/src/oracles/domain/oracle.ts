/** Selects the oracle for a type and currency, and validates oracles to be registered. */
import { refuse, type RefusedBy } from '@causeway/services'
import { baseAddressFault, type PartyIdType } from '@causeway/fspiop'
import { isCurrency } from '@causeway/money'
import { readType } from '../../domain/party.ts'
import { anyCurrency } from '../../domain/match.ts'

/** A valid oracle. */
export interface Draft {
  readonly oracleIdType: PartyIdType
  /** An absolute address, or `builtInEndpoint`. */
  readonly endpointValue: string
  readonly endpointType: 'URL'
  /** Empty: any. */
  readonly currency: string
  readonly isDefault: boolean
}

export interface Oracle extends Draft {
  readonly id: number
}

/** A requested oracle: unchecked text. */
export interface Proposal {
  readonly oracleIdType: string
  readonly endpointValue: string
  readonly endpointType: string
  readonly currency: string
  readonly isDefault: boolean
}

export type RefusedOracle = RefusedBy<'account-lookup'>

export type DraftDecision = { readonly type: 'accept'; readonly draft: Draft } | RefusedOracle

/** The endpoint of the hub's own store. */
export const builtInEndpoint = 'builtin:'

/** Validates the oracle; only the store knows whether another one exists. */
export function decideOracle(proposal: Proposal): DraftDecision {
  const { endpointValue, currency, isDefault } = proposal
  const oracleIdType = readType(proposal.oracleIdType)
  if (oracleIdType === undefined) return invalid('oracleIdType is not a PartyIdType')
  if (proposal.endpointType !== 'URL') return invalid('endpointType must be URL')
  const fault = endpointFault(endpointValue)
  if (fault !== undefined) return invalid(fault)
  if (currency !== anyCurrency && !isCurrency(currency))
    return invalid(`${currency} is not a currency`)
  const draft = { oracleIdType, endpointValue, endpointType: 'URL', currency, isDefault } as const
  return { type: 'accept', draft }
}

/**
 * The oracle for a request: the one registered for its currency, otherwise the default one,
 * otherwise the only one of the type; `undefined` if there is none of these. Ties are resolved in
 * this order: default before others, any currency before a single one, older before newer.
 */
export function selectOracle(
  oracles: readonly Oracle[],
  type: PartyIdType,
  currency: string,
): Oracle | undefined {
  const ofType = oracles
    .filter(({ oracleIdType }) => oracleIdType === type)
    .sort((a, b) => rank(a) - rank(b) || a.id - b.id)
  const ofCurrency =
    currency === anyCurrency ? undefined : ofType.find((each) => each.currency === currency)
  return ofCurrency ?? ofType.find(({ isDefault }) => isDefault) ?? onlyOne(ofType)
}

function rank({ isDefault, currency }: Oracle): number {
  return (isDefault ? 0 : 2) + (currency === anyCurrency ? 0 : 1)
}

function onlyOne(oracles: readonly Oracle[]): Oracle | undefined {
  return oracles.length === 1 ? oracles[0] : undefined
}

/**
 * A user name in an address would be visible to every operator that may list oracles, and paths are
 * appended to the address.
 */
function endpointFault(value: string): string | undefined {
  if (value === builtInEndpoint) return undefined
  const fault = baseAddressFault(value)
  return fault === undefined ? undefined : `endpoint.value ${fault}`
}

function invalid(detail: string): DraftDecision {
  return refuse('INVALID', detail)
}
