/**
 * Ownership of parties in the hub's own store. In each currency a party belongs to the first FSP
 * that registers it, until that FSP removes it; an association without currency covers all
 * currencies. Exception: a consent belongs to the auth service if the DFSP that granted it
 * registers it there. Commands are applied in order; a batch has the same result as its commands
 * one by one. FSPIOP 6.2.2.3, 6.2.2.4.
 */
import { anyCurrency, overlap } from '../../domain/match.ts'
import { partyKey, type Party } from '../../domain/party.ts'

/** At most one exists per party and currency. */
export interface PartyAssociation {
  readonly party: Party
  /** Empty: any. */
  readonly currency: string
  readonly fspId: string
}

/** REMOVE without currency removes every association of the FSP with the party. */
export interface AssociationCommand extends PartyAssociation {
  readonly type: 'ASSOCIATE' | 'REMOVE'
  /** For ASSOCIATE: associations of other FSPs with the party are removed. */
  readonly replaces?: boolean | undefined
}

export type RegisterReason = 'TAKEN' | 'NOT_OWNER' | 'PARTY_UNKNOWN'

export type CommandOutcome =
  | { readonly type: 'DONE' }
  | { readonly type: 'REFUSED'; readonly reason: RegisterReason }

export interface RegisterResult {
  /** One per command, in order. */
  readonly outcomes: readonly CommandOutcome[]
  /** Rows to insert. */
  readonly added: readonly PartyAssociation[]
  /** Rows to delete. */
  readonly removed: readonly PartyAssociation[]
}

/** FSPs by currency. */
type Holders = Map<string, string>

interface PartyState {
  readonly party: Party
  readonly before: ReadonlyMap<string, string>
  readonly now: Holders
}

/** `stored` holds all stored associations of the parties that the commands name. */
export function register(
  stored: readonly PartyAssociation[],
  commands: readonly AssociationCommand[],
): RegisterResult {
  const parties = new Map<string, PartyState>()
  for (const { party } of commands) {
    const key = partyKey(party)
    if (!parties.has(key)) parties.set(key, { party, before: new Map(), now: new Map() })
  }
  for (const { party, currency, fspId } of stored) {
    const of = parties.get(partyKey(party))
    if (of === undefined) continue
    ;(of.before as Holders).set(currency, fspId)
    of.now.set(currency, fspId)
  }
  const outcomes = commands.map((command) => {
    const of = parties.get(partyKey(command.party))
    return of === undefined ? refused('PARTY_UNKNOWN') : apply(of.now, command)
  })
  return { outcomes, ...differences([...parties.values()]) }
}

function apply(holders: Holders, command: AssociationCommand): CommandOutcome {
  const { type, currency, fspId } = command
  if (type === 'REMOVE') return remove(holders, currency, fspId)
  if (command.replaces === true) holders.clear()
  for (const [each, holder] of holders) {
    if (holder !== fspId && overlap(each, currency)) return refused('TAKEN')
  }
  holders.set(currency, fspId)
  return done
}

function remove(holders: Holders, currency: string, fspId: string): CommandOutcome {
  const meant = [...holders].filter(([each]) => currency === anyCurrency || each === currency)
  if (meant.length === 0) return refused('PARTY_UNKNOWN')
  const own = meant.filter(([, holder]) => holder === fspId)
  if (own.length === 0) return refused('NOT_OWNER')
  for (const [each] of own) holders.delete(each)
  return done
}

/** An association whose FSP has changed is both removed and added. */
function differences(parties: readonly PartyState[]): Pick<RegisterResult, 'added' | 'removed'> {
  const added: PartyAssociation[] = []
  const removed: PartyAssociation[] = []
  for (const { party, before, now } of parties) {
    for (const [currency, fspId] of before) {
      if (now.get(currency) !== fspId) removed.push({ party, currency, fspId })
    }
    for (const [currency, fspId] of now) {
      if (before.get(currency) !== fspId) added.push({ party, currency, fspId })
    }
  }
  return { added, removed }
}

const done: CommandOutcome = { type: 'DONE' }

function refused(reason: RegisterReason): CommandOutcome {
  return { type: 'REFUSED', reason }
}
