/** Which oracle answers for a type and currency, and which oracles may be registered. */
import { readType } from '../../domain/party.ts'
import type { PartyIdType } from '@causeway/fspiop'
import { isCurrency } from '@causeway/money'

/** An oracle that may be registered. */
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

/** As it is asked for: any words. */
export interface Proposal {
  readonly oracleIdType: string
  readonly endpointValue: string
  readonly endpointType: string
  readonly currency: string
  readonly isDefault: boolean
}

/** The closed set of the service's contract. */
export type RefusalReason = 'ORACLE_UNKNOWN' | 'ORACLE_EXISTS' | 'INVALID'

export interface Refused {
  readonly reason: RefusalReason
  readonly detail: string
}

export type DraftDecision =
  | { readonly type: 'accept'; readonly draft: Draft }
  | { readonly type: 'refuse'; readonly refused: Refused }

/** The endpoint of the hub's own store. */
export const builtInEndpoint = 'builtin:'

const endpoint_length_max = 1_024

/** Whether such an oracle may be registered; whether another one stands is known to the store alone. */
export function decideOracle(proposal: Proposal): DraftDecision {
  const { endpointValue, currency, isDefault } = proposal
  const oracleIdType = readType(proposal.oracleIdType)
  if (oracleIdType === undefined) return invalid('oracleIdType is no PartyIdType')
  if (proposal.endpointType !== 'URL') return invalid('endpointType is URL')
  const fault = endpointFault(endpointValue)
  if (fault !== undefined) return invalid(fault)
  if (currency !== '' && !isCurrency(currency)) return invalid(`${currency} is not a currency`)
  const draft = { oracleIdType, endpointValue, endpointType: 'URL', currency, isDefault } as const
  return { type: 'accept', draft }
}

/**
 * The oracle for a request: the one registered for its currency, else the default one, else the only
 * one of the type. `undefined` when none of these is there. Where the rule leaves a choice, the
 * default one goes before others, one for any currency before one for a single one, an old one
 * before a new one.
 */
export function selectOracle(
  oracles: readonly Oracle[],
  type: PartyIdType,
  currency: string,
): Oracle | undefined {
  const ofType = oracles
    .filter(({ oracleIdType }) => oracleIdType === type)
    .sort((a, b) => rank(a) - rank(b) || a.id - b.id)
  const ofCurrency = currency === '' ? undefined : ofType.find((each) => each.currency === currency)
  return ofCurrency ?? ofType.find(({ isDefault }) => isDefault) ?? onlyOne(ofType)
}

function rank({ isDefault, currency }: Oracle): number {
  return (isDefault ? 0 : 2) + (currency === '' ? 0 : 1)
}

function onlyOne(oracles: readonly Oracle[]): Oracle | undefined {
  return oracles.length === 1 ? oracles[0] : undefined
}

/** Names in an address would be shown to whoever may list oracles, and paths are appended to it. */
function endpointFault(value: string): string | undefined {
  if (value === builtInEndpoint) return undefined
  if (value.length > endpoint_length_max) return 'endpoint.value has at most 1024 characters'
  if (!/^https?:\/\/[^/\s]/i.test(value) || /\s/.test(value) || !URL.canParse(value)) {
    return 'endpoint.value is an absolute http or https address'
  }
  const { username, password, search, hash } = new URL(value)
  if (username + password !== '') return 'endpoint.value holds no user and no password'
  if (search + hash !== '' || /[?#]/.test(value))
    return 'endpoint.value has no query and no fragment'
  return undefined
}

function invalid(detail: string): DraftDecision {
  return { type: 'refuse', refused: { reason: 'INVALID', detail } }
}
