/** Ways to break an FSP: each is one deviation, for messages in one direction. */
import type { InboundAnswer, InboundMessage } from '@causeway/fsp'
import { errorInformation } from '@causeway/fspiop'
import { accepted, type Breakage, jsonOf, type FspMessage } from './breaking.ts'

export type JsonObject = Record<string, unknown>

export interface About {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly json: JsonObject
}

type Fits = (message: About) => boolean

/** The method, and a pattern of the path. */
export const of =
  (method: string, pattern: RegExp, also: Fits = () => true): Fits =>
  (message) =>
    message.method === method && pattern.test(message.path) && also(message)

const aboutSent = ({ method, path, headers, body }: FspMessage): About => ({
  method,
  path: path.split('?')[0] ?? '',
  headers,
  json: jsonOf(body),
})

const aboutReceived = ({ method, target, headers, body }: InboundMessage): About => ({
  method,
  path: target.split('?')[0] ?? '',
  headers,
  json: jsonOf(body),
})

/** The FSP never sends it, and believes that it did. */
export function dropping(fits: Fits): Breakage {
  return {
    outgoing: (message, forward) =>
      fits(aboutSent(message)) ? Promise.resolve(accepted) : forward(message),
  }
}

/** The FSP writes another body, or other headers. */
export function writing(
  fits: Fits,
  change: (json: JsonObject, about: About) => JsonObject,
  headers: Readonly<Record<string, string | undefined>> = {},
): Breakage {
  return {
    outgoing(message, forward) {
      const about = aboutSent(message)
      if (!fits(about)) return forward(message)
      const body =
        message.body.length === 0
          ? message.body
          : Buffer.from(JSON.stringify(change(about.json, about)))
      return forward({ ...message, body, headers: withHeaders(message.headers, headers) })
    },
  }
}

/** The FSP sends something else in its place. */
export function sending(
  fits: Fits,
  change: (message: FspMessage, about: About) => FspMessage,
): Breakage {
  return {
    outgoing(message, forward) {
      const about = aboutSent(message)
      return forward(fits(about) ? change(message, about) : message)
    },
  }
}

/** The FSP sends it again when the hub answers so. */
export function repeatingAfter(fits: Fits, status: number): Breakage {
  return {
    async outgoing(message, forward) {
      const answer = await forward(message)
      return fits(aboutSent(message)) && answer.status === status ? forward(message) : answer
    },
  }
}

/** The FSP takes this answer of the hub for another one. */
export function takingFor(fits: Fits, status: number, other: number): Breakage {
  return {
    async outgoing(message, forward) {
      const answer = await forward(message)
      return fits(aboutSent(message)) && answer.status === status
        ? { ...answer, status: other }
        : answer
    },
  }
}

/** The FSP refuses what it must accept. */
export function refusing(fits: Fits, status = 400): Breakage {
  return {
    incoming: (message, receive) =>
      fits(aboutReceived(message))
        ? Promise.resolve({ status, error: errorInformation('3100') })
        : receive(message),
  }
}

/** The FSP acknowledges it, and does nothing. */
export function ignoring(fits: Fits): Breakage {
  return {
    incoming(message, receive) {
      const about = aboutReceived(message)
      return fits(about) ? Promise.resolve({ status: acknowledged(about) }) : receive(message)
    },
  }
}

function acknowledged({ method }: About): number {
  return method === 'PUT' || method === 'PATCH' ? 200 : 202
}

/** The FSP answers the message differently. */
export function answering(
  fits: Fits,
  change: (answer: InboundAnswer, about: About) => InboundAnswer,
): Breakage {
  return {
    async incoming(message, receive) {
      const about = aboutReceived(message)
      const answer = await receive(message)
      return fits(about) ? change(answer, about) : answer
    },
  }
}

/** The FSP accepts what it must refuse: it takes the message for another one. */
export function reading(
  fits: Fits,
  change: (json: JsonObject, about: About) => JsonObject,
  headers: Readonly<Record<string, string | undefined>> = {},
): Breakage {
  return {
    incoming(message, receive) {
      const about = aboutReceived(message)
      if (!fits(about)) return receive(message)
      const body =
        message.body.length === 0
          ? message.body
          : Buffer.from(JSON.stringify(change(about.json, about)))
      return receive({ ...message, body, headers: withHeaders(message.headers, headers) })
    },
  }
}

/** Acknowledges what it must refuse with this status. */
export function acceptingRefused(fits: Fits): Breakage {
  return answering(fits, (answer, about) =>
    answer.status >= 400 ? { status: acknowledged(about) } : answer,
  )
}

function withHeaders<Value>(
  headers: Readonly<Record<string, Value>>,
  changes: Readonly<Record<string, string | undefined>>,
): Record<string, Value | string> {
  const all: Record<string, Value | string> = { ...headers }
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete all[name]
    else all[name] = value
  }
  return all
}
