/**
 * Who a party is and which FSP serves it: asked of the scheme, and told of the FSP's own customers.
 * FSPIOP 6.3.
 */
import { errorBody, errorInformation, putParties } from '@causeway/fspiop'
import { type Ended, openQuestions } from '../asking.ts'
import { type Failed, informationIn } from '../errors.ts'
import type { HubLink } from '../hub/link.ts'
import { bodyOf, type Hear, type Hearers, type Received } from '../inbound.ts'
import { type Outgoing, writeMessage } from '../message.ts'
import type { Secrecy } from '../secrecy.ts'
import { takeTurns } from '../turns.ts'
import {
  type NamedParty,
  type PartyDetails,
  type PartyId,
  partyIn,
  partyKey,
  partyPath,
  readParty,
  writeParty,
} from './party.ts'

/** FAILED: nobody serves the party (3204), or who does cannot be asked. */
export type PartyResult = Ended<Found>

type Found =
  { readonly state: 'FOUND'; readonly party: NamedParty & { readonly fspId: string } } | Failed

export interface LookupOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly secrecy: Secrecy
  /** The FSP's own customer of that name; undefined when it has none. */
  readonly onLookUp: (
    party: PartyId,
  ) => PartyDetails | undefined | Promise<PartyDetails | undefined>
  readonly silence_ms: number
  readonly patience_ms: number
}

export interface Lookups {
  lookUp(party: PartyId, currency?: string): Promise<PartyResult>
  readonly hearers: Hearers
  close(): void
}

export function openLookups(options: LookupOptions): Lookups {
  const { name, link, silence_ms, patience_ms } = options
  const questions = openQuestions<undefined, Found>(link, silence_ms)
  const takeTurn = takeTurns<PartyResult>()

  function ask(party: PartyId, currency: string | undefined): Promise<PartyResult> {
    const query = currency === undefined ? '' : `?currency=${encodeURIComponent(currency)}`
    const path = partyPath('parties', party) + query
    const request = () => writeMessage('GET', path, { from: name })
    const deadline_ms = Date.now() + patience_ms
    return questions.ask({
      key: partyKey(party),
      request: request(),
      until_ms: deadline_ms,
      reminder: request,
      deadline_ms,
      context: undefined,
    })
  }

  /** Several FSPs may answer, and the first answer counts; later ones change nothing. */
  const hearParty: Hear = (message) => {
    const reading = bodyOf(putParties, message)
    if (!reading.ok) return { disbelieved: reading.detail }
    const { source: fspId } = message
    const party = readParty(reading.value.party)
    if (party.fspId !== undefined && party.fspId !== fspId) {
      return { disbelieved: '/party/partyIdInfo/fspId: it is not the source' }
    }
    if (fspId === options.hubName) return { disbelieved: 'the hub has no parties' }
    questions.answer(keyOf(message), { state: 'FOUND', party: { ...party, fspId } })
    return 'HEARD'
  }

  const hearError: Hear = (message) => {
    const reading = bodyOf(errorBody, message)
    if (!reading.ok) return { disbelieved: reading.detail }
    questions.answer(keyOf(message), { state: 'FAILED', error: informationIn(reading.value) })
    return 'HEARD'
  }

  const tell: Hear = (message) => {
    void answer(options, partyIn(message.parameters), message.source)
    return 'HEARD'
  }

  return {
    lookUp: (party, currency) =>
      takeTurn(partyKey(party), currency ?? '', () => ask(party, currency)),
    hearers: {
      'GET /parties/{Type}/{ID}': tell,
      'GET /parties/{Type}/{ID}/{SubId}': tell,
      'PUT /parties/{Type}/{ID}': hearParty,
      'PUT /parties/{Type}/{ID}/{SubId}': hearParty,
      'PUT /parties/{Type}/{ID}/error': hearError,
      'PUT /parties/{Type}/{ID}/{SubId}/error': hearError,
    },
    close: () => questions.close(),
  }
}

function keyOf({ parameters }: Received): string {
  return partyKey(partyIn(parameters))
}

/** A question about a customer has no id, so a repeat of it is answered anew. */
async function answer(options: LookupOptions, party: PartyId, to: string): Promise<void> {
  const { link, patience_ms } = options
  await link.sendUntil(await answerTo(options, party, to), Date.now() + patience_ms)
}

async function answerTo(
  { name, onLookUp, secrecy }: LookupOptions,
  party: PartyId,
  to: string,
): Promise<Outgoing> {
  const path = partyPath('parties', party)
  const route = { from: name, to }
  let found: PartyDetails | undefined
  try {
    found = await onLookUp(party)
  } catch {
    const error = { errorInformation: errorInformation('2001') }
    return writeMessage('PUT', `${path}/error`, route, error)
  }
  if (found === undefined) {
    const error = { errorInformation: errorInformation('3204') }
    return writeMessage('PUT', `${path}/error`, route, error)
  }
  const { body, encryption } = secrecy.hide(to, { party: writeParty({ ...found, ...party }, name) })
  return writeMessage('PUT', path, route, body, encryption)
}
