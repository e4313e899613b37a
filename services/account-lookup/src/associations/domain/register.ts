/**
 * Whose a party is in the hub's own store: in each currency it is its first FSP's until that FSP lets
 * go of it (or a consent is the auth service's by the word of the DFSP that granted it), and one that has it without currency has it in all of them. Requests are worked in their order; what they come to together is what one after the other
 * would have come to. FSPIOP 6.2.2.3, 6.2.2.4.
 */
import { overlap } from '../../domain/match.ts'
import { partyKey, type Party } from '../../domain/party.ts'

/** What there is at most once for each (party, currency). */
export interface Held {
  readonly party: Party
  /** Empty: any. */
  readonly currency: string
  readonly fspId: string
}

/** REMOVE without currency is of every association that the FSP has with the party. */
export interface Command extends Held {
  readonly type: 'ASSOCIATE' | 'REMOVE'
  /** Of ASSOCIATE: whoever else has the party loses it. */
  readonly replaces?: boolean | undefined
}

export type RegisterReason = 'TAKEN' | 'NOT_OWNER' | 'PARTY_UNKNOWN'

export type Registered =
  { readonly type: 'DONE' } | { readonly type: 'REFUSED'; readonly reason: RegisterReason }

export interface Registering {
  /** One for each command, in their order. */
  readonly outcomes: readonly Registered[]
  /** What is to be stored: not held before. */
  readonly added: readonly Held[]
  /** What is to be deleted: held before, by this FSP. */
  readonly removed: readonly Held[]
}

/** FSPs by currency. */
type Holders = Map<string, string>

interface OfParty {
  readonly party: Party
  readonly before: ReadonlyMap<string, string>
  readonly now: Holders
}

/** `held` is all that is stored of the parties that the commands name. */
export function register(held: readonly Held[], commands: readonly Command[]): Registering {
  const parties = new Map<string, OfParty>()
  for (const { party } of commands) {
    const key = partyKey(party)
    if (!parties.has(key)) parties.set(key, { party, before: new Map(), now: new Map() })
  }
  for (const { party, currency, fspId } of held) {
    const of = parties.get(partyKey(party))
    if (of === undefined) continue
    ;(of.before as Holders).set(currency, fspId)
    of.now.set(currency, fspId)
  }
  const outcomes = commands.map((command) => {
    const of = parties.get(partyKey(command.party))
    return of === undefined ? refused('PARTY_UNKNOWN') : work(of.now, command)
  })
  return { outcomes, ...differences([...parties.values()]) }
}

function work(holders: Holders, command: Command): Registered {
  const { type, currency, fspId } = command
  if (type === 'REMOVE') return remove(holders, currency, fspId)
  if (command.replaces === true) holders.clear()
  for (const [each, holder] of holders) {
    if (holder !== fspId && overlap(each, currency)) return refused('TAKEN')
  }
  holders.set(currency, fspId)
  return done
}

function remove(holders: Holders, currency: string, fspId: string): Registered {
  const meant = [...holders].filter(([each]) => currency === '' || each === currency)
  if (meant.length === 0) return refused('PARTY_UNKNOWN')
  const own = meant.filter(([, holder]) => holder === fspId)
  if (own.length === 0) return refused('NOT_OWNER')
  for (const [each] of own) holders.delete(each)
  return done
}

/** One that changed hands on the way is both: deleted, then stored anew. */
function differences(parties: readonly OfParty[]): Pick<Registering, 'added' | 'removed'> {
  const added: Held[] = []
  const removed: Held[] = []
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

const done: Registered = { type: 'DONE' }

function refused(reason: RegisterReason): Registered {
  return { type: 'REFUSED', reason }
}
