/** FSPs that handle a repeated POST wrongly, in each of its three cases. */
import type { InboundMessage } from '@causeway/fsp'
import { type Breakage, jsonOf } from './breaking.ts'
import type { Broken } from './caught.ts'

interface Repeated {
  readonly resource: string
  readonly idMember: string
}

/** The three of them; by default the id of `quotes` is `quoteId`. */
export function repeatingWrongly(
  resource: string,
  idMember = `${resource.replace(/s$/, '')}Id`,
): readonly Broken[] {
  const name = resource.slice(resource.lastIndexOf('/') + 1)
  const of = { resource, idMember }
  return [
    {
      does: `works twice on a repeated POST /${resource}`,
      breakage: workingTwice(of),
      caughtBy: [`repeat-${name}-in-progress`],
    },
    {
      does: `does not answer the repeat of an answered POST /${resource}`,
      breakage: ignoringAnswered(of),
      caughtBy: [`repeat-${name}-answered`],
    },
    {
      does: `takes POST /${resource} with other content for a repeat`,
      breakage: ignoringModified(of),
      caughtBy: [`repeat-${name}-modified`],
    },
  ]
}

/** The requests of a resource that the FSP has received and answered. */
function openRecord({ resource, idMember }: Repeated) {
  const bodies = new Map<string, string>()
  const counts = new Map<string, number>()
  const answered = new Set<string>()
  const idOf = (json: Readonly<Record<string, unknown>>) => String(json[idMember])
  const isRequest = ({ method, target }: InboundMessage) =>
    method === 'POST' && target === `/${resource}`
  return {
    bodies,
    counts,
    answered,
    isRequest,
    idOf: ({ body }: { body: Buffer }) => idOf(jsonOf(body)),
    /** The id in the path of an answer. */
    idIn: (method: string, path: string) => {
      const begin = `/${resource}/`
      if (method !== 'PUT' || !path.startsWith(begin)) return undefined
      return path.slice(begin.length).split('/')[0]
    },
  }
}

/** Works on a repeat again: it answers twice, and differently. */
function workingTwice(of: Repeated): Breakage {
  const { counts, answered, isRequest, idOf, idIn } = openRecord(of)
  return {
    incoming(message, receive) {
      if (isRequest(message)) counts.set(idOf(message), (counts.get(idOf(message)) ?? 0) + 1)
      return receive(message)
    },
    async outgoing(message, forward) {
      const id = idIn(message.method, message.path)
      if (id === undefined || answered.has(id)) return forward(message)
      answered.add(id)
      const answer = await forward(message)
      if ((counts.get(id) ?? 0) < 2) return answer
      const extensionList = { extension: [{ key: 'answer', value: 'second' }] }
      const body = Buffer.from(JSON.stringify({ ...jsonOf(message.body), extensionList }))
      return forward({ ...message, body })
    },
  }
}

/** Does not answer a repeat of what it has answered. */
function ignoringAnswered(of: Repeated): Breakage {
  const { bodies, answered, isRequest, idOf, idIn } = openRecord(of)
  return {
    incoming(message, receive) {
      if (!isRequest(message)) return receive(message)
      const id = idOf(message)
      if (answered.has(id) && bodies.get(id) === message.body.toString()) {
        return Promise.resolve({ status: 202 })
      }
      bodies.set(id, bodies.get(id) ?? message.body.toString())
      return receive(message)
    },
    outgoing(message, forward) {
      const id = idIn(message.method, message.path)
      if (id !== undefined) answered.add(id)
      return forward(message)
    },
  }
}

/** Takes other content under a known id for a repeat. */
function ignoringModified(of: Repeated): Breakage {
  const { bodies, isRequest, idOf } = openRecord(of)
  return {
    async incoming(message, receive) {
      if (!isRequest(message)) return receive(message)
      const known = bodies.get(idOf(message))
      if (known !== undefined) return receive({ ...message, body: Buffer.from(known) })
      const answer = await receive(message)
      if (answer.status === 202) bodies.set(idOf(message), message.body.toString())
      return answer
    },
  }
}
