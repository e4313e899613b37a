/**
 * The messages that the hub makes out of FSPs': a request without the items that it refuses, and an
 * answer with an error in the place of each item that it refuses. What it keeps of a message it keeps as
 * it was sent, encrypted fields too.
 */
import type { Relay } from '@causeway/events'
import { renumberedEncryption } from '@causeway/fspiop'
import type { ErrorInformation } from '../quotes/domain/quote.ts'

export interface MadeBody {
  readonly body: Buffer
  /** The header FSPIOP-Encryption; undefined: nothing in it is encrypted. */
  readonly encryption: string | undefined
}

type Json = Readonly<Record<string, unknown>>

/** The request with the items at these positions alone. */
export function requestOfItems(relay: Relay, positions: readonly number[]): MadeBody {
  const json = JSON.parse(relay.body.toString()) as Json
  const items = json['individualQuotes'] as readonly unknown[]
  const individualQuotes = positions.map((at) => items[at])
  return {
    body: bytesOf({ ...json, individualQuotes }),
    encryption: renumberedEncryption(encryptionOf(relay), 'individualQuotes', positions),
  }
}

/** An item of the request, in its place. */
export interface AnsweredItem {
  readonly quoteId: string
  /** Why the hub refuses it. */
  readonly error: ErrorInformation | undefined
}

/**
 * The payee FSP's answer in the order of the request: the hub's error where it refuses the item, else
 * what the payee FSP says of it, and nothing where that says nothing.
 */
export function answerOfItems(relay: Relay, items: readonly AnsweredItem[]): MadeBody {
  const json = JSON.parse(relay.body.toString()) as Json
  const results = (json['individualQuoteResults'] ?? []) as readonly { readonly quoteId: string }[]
  const positions = new Map(results.map(({ quoteId }, at) => [quoteId, at]))
  const kept = items.flatMap((item) => {
    const position = positions.get(item.quoteId)
    if (item.error !== undefined) return { position: undefined, result: errorResult(item) }
    return position === undefined ? [] : { position, result: results[position] }
  })
  return {
    body: bytesOf({ ...json, individualQuoteResults: kept.map(({ result }) => result) }),
    encryption: renumberedEncryption(
      encryptionOf(relay),
      'individualQuoteResults',
      kept.map(({ position }) => position),
    ),
  }
}

/** An answer of errors alone. */
export function answerOfErrors(items: readonly AnsweredItem[], expiration: string): Buffer {
  return bytesOf({ individualQuoteResults: items.map(errorResult), expiration })
}

function errorResult({ quoteId, error: errorInformation }: AnsweredItem) {
  return { quoteId, errorInformation }
}

function bytesOf(json: object): Buffer {
  return Buffer.from(JSON.stringify(json))
}

function encryptionOf({ headers }: Relay): string | undefined {
  if (headers === undefined) return undefined
  return (JSON.parse(headers.toString()) as Readonly<Record<string, string>>)['fspiop-encryption']
}
