/**
 * Messages that the hub derives from those of FSPs: a request without the items that the hub refuses, and
 * an answer with an error in place of each item that it refuses. All other content is unchanged,
 * encrypted fields included, and written as canonical JSON.
 */
import type { Relay } from '@causeway/events'
import { canonicalJson, renumberedEncryption, type ErrorInformation } from '@causeway/fspiop'

export interface MadeBody {
  readonly body: Buffer
  /** The header FSPIOP-Encryption; undefined: nothing in it is encrypted. */
  readonly encryption: string | undefined
}

type JsonObject = Readonly<Record<string, unknown>>

/** The request with the items at these positions alone. */
export function requestOfItems(relay: Relay, positions: readonly number[]): MadeBody {
  const json = JSON.parse(relay.body.toString()) as JsonObject
  const items = json['individualQuotes'] as readonly unknown[]
  const individualQuotes = positions.map((at) => items[at])
  return {
    body: bytesOf({ ...json, individualQuotes }),
    encryption: renumberedEncryption(encryptionOf(relay), 'individualQuotes', positions),
  }
}

/** An item of the request, by its position. */
export interface AnsweredItem {
  readonly quoteId: string
  /** Why the hub refuses it. */
  readonly error: ErrorInformation | undefined
}

/**
 * The payee FSP's answer in the order of the request: the hub's error for an item that it refuses,
 * otherwise the payee FSP's result, if there is one.
 */
export function answerOfItems(relay: Relay, items: readonly AnsweredItem[]): MadeBody {
  const json = JSON.parse(relay.body.toString()) as JsonObject
  const results = (json['individualQuoteResults'] ?? []) as readonly { readonly quoteId: string }[]
  const positions = new Map(results.map(({ quoteId }, at) => [quoteId, at]))
  const answered = items.flatMap((item) => {
    const position = positions.get(item.quoteId)
    if (item.error !== undefined) return { position: undefined, result: errorResult(item) }
    return position === undefined ? [] : { position, result: results[position] }
  })
  return {
    body: bytesOf({ ...json, individualQuoteResults: answered.map(({ result }) => result) }),
    encryption: renumberedEncryption(
      encryptionOf(relay),
      'individualQuoteResults',
      answered.map(({ position }) => position),
    ),
  }
}

/** The content of an FSP's message as a message of the hub, without the FSP's signature. */
export function writtenByHub({ body }: Relay): Relay {
  return { body: bytesOf(JSON.parse(body.toString()) as object) }
}

/** An answer with errors only. */
export function answerOfErrors(items: readonly AnsweredItem[], expiration: string): Buffer {
  return bytesOf({ individualQuoteResults: items.map(errorResult), expiration })
}

function errorResult({ quoteId, error: errorInformation }: AnsweredItem) {
  return { quoteId, errorInformation }
}

function bytesOf(json: object): Buffer {
  return Buffer.from(canonicalJson(json))
}

function encryptionOf({ headers }: Relay): string | undefined {
  if (headers === undefined) return undefined
  return (JSON.parse(headers.toString()) as Readonly<Record<string, string>>)['fspiop-encryption']
}
