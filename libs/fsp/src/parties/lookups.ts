/**
 * Party lookups: sends them to the scheme, and answers those about the FSP's own customers. FSPIOP
 * 6.3.
 */
import { errorBody, errorInformation, putParties } from '@causeway/fspiop'
import { type TimedResult, openPendingRequests } from '../pending-requests.ts'
import { type Failed, informationIn } from '../errors.ts'
import type { HubLink } from '../hub/link.ts'
import { bodyOf, type InboundHandler, type InboundHandlers, type Received } from '../inbound.ts'
import { type Outgoing, writeMessage } from '../message.ts'
import type { FieldEncryption } from '../field-encryption.ts'
import { serializeByKey } from '../serialize.ts'
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

/** FAILED: no FSP serves the party (3204), or the serving FSP cannot be reached. */
export type PartyResult = TimedResult<LookupAnswer>

type LookupAnswer =
  | { readonly state: 'FOUND'; readonly party: NamedParty & { readonly fspId: string } }
  | Failed

export interface LookupOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly fieldEncryption: FieldEncryption
  /** The FSP's own customer with that identifier; undefined when it has none. */
  readonly onLookUp: (
    party: PartyId,
  ) => PartyDetails | undefined | Promise<PartyDetails | undefined>
  readonly resendAfter_ms: number
  readonly answerTimeout_ms: number
}

export interface Lookups {
  lookUp(party: PartyId, currency?: string): Promise<PartyResult>
  readonly handlers: InboundHandlers
  close(): void
}

export function openLookups(options: LookupOptions): Lookups {
  const { name, link, resendAfter_ms, answerTimeout_ms } = options
  const pending = openPendingRequests<undefined, LookupAnswer>(link, resendAfter_ms)
  const serialize = serializeByKey<PartyResult>()

  function ask(party: PartyId, currency: string | undefined): Promise<PartyResult> {
    const query = currency === undefined ? '' : `?currency=${encodeURIComponent(currency)}`
    const path = partyPath('parties', party) + query
    const request = () => writeMessage('GET', path, { from: name })
    const deadline_ms = Date.now() + answerTimeout_ms
    return pending.send({
      key: partyKey(party),
      request: request(),
      until_ms: deadline_ms,
      reminder: request,
      deadline_ms,
      context: undefined,
    })
  }

  /** Several FSPs may answer; the first answer counts, later ones change nothing. */
  const handleParty: InboundHandler = (message) => {
    const reading = bodyOf(putParties, message)
    if (!reading.ok) return { rejected: reading.detail }
    const { source: fspId } = message
    const party = readParty(reading.value.party)
    if (party.fspId !== undefined && party.fspId !== fspId) {
      return { rejected: '/party/partyIdInfo/fspId: it is not the source' }
    }
    if (fspId === options.hubName) return { rejected: 'the hub has no parties' }
    pending.answer(keyOf(message), { state: 'FOUND', party: { ...party, fspId } })
    return 'HANDLED'
  }

  const handleError: InboundHandler = (message) => {
    const reading = bodyOf(errorBody, message)
    if (!reading.ok) return { rejected: reading.detail }
    pending.answer(keyOf(message), { state: 'FAILED', error: informationIn(reading.value) })
    return 'HANDLED'
  }

  const handleRequest: InboundHandler = (message) => {
    void answer(options, partyIn(message.parameters), message.source)
    return 'HANDLED'
  }

  return {
    lookUp: (party, currency) =>
      serialize(partyKey(party), currency ?? '', () => ask(party, currency)),
    handlers: {
      'GET /parties/{Type}/{ID}': handleRequest,
      'GET /parties/{Type}/{ID}/{SubId}': handleRequest,
      'PUT /parties/{Type}/{ID}': handleParty,
      'PUT /parties/{Type}/{ID}/{SubId}': handleParty,
      'PUT /parties/{Type}/{ID}/error': handleError,
      'PUT /parties/{Type}/{ID}/{SubId}/error': handleError,
    },
    close: () => pending.close(),
  }
}

function keyOf({ parameters }: Received): string {
  return partyKey(partyIn(parameters))
}

/** A lookup of a customer has no id, so a repeat is answered again. */
async function answer(options: LookupOptions, party: PartyId, to: string): Promise<void> {
  const { link, answerTimeout_ms } = options
  await link.sendUntil(await answerTo(options, party, to), Date.now() + answerTimeout_ms)
}

async function answerTo(
  { name, onLookUp, fieldEncryption }: LookupOptions,
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
  const { body, encryption } = fieldEncryption.encrypt(to, {
    party: writeParty({ ...found, ...party }, name),
  })
  return writeMessage('PUT', path, route, body, encryption)
}
