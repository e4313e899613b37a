/** FSPs that read or write the Interledger part wrongly, but consistently. */
import { conditionOf, decodePacket, encodePacket } from '@causeway/fspiop'
import { randomBytes } from 'node:crypto'
import { type Breakage, jsonOf } from './breaking.ts'
import { type JsonObject, of, reading, type About } from './breakages.ts'

const transfers = of('POST', /^\/transfers$/)
const terms = of('PUT', /^\/quotes\/[^/]+$/)

/** What the FSP has quoted: it undoes a change that it must refuse. */
function remembering(
  undo: (json: JsonObject, quoted: readonly JsonObject[]) => JsonObject,
): Breakage {
  const quoted: JsonObject[] = []
  return {
    ...reading(transfers, (json) => undo(json, quoted)),
    outgoing(message, forward) {
      if (terms(aboutOf(message.method, message.path))) quoted.push(jsonOf(message.body))
      return forward(message)
    },
  }
}

function aboutOf(method: string, path: string): About {
  return { method, path, headers: {}, json: {} }
}

/** Step 1 left out: whatever the address is. */
export const takingAnyAddress = () =>
  remembering((json, quoted) => {
    const { condition } = json
    const own = quoted.find((each) => each['condition'] === condition)
    const isOther = addressIn(json) !== undefined && addressIn(json) !== addressIn(own ?? {})
    return own !== undefined && isOther ? { ...json, ilpPacket: own['ilpPacket'] } : json
  })

/** Step 2 left out: whatever the amount of the transfer is. */
export const takingAnyAmount = () =>
  remembering((json, quoted) => {
    const own = quoted.find((each) => each['condition'] === json['condition'])
    return own === undefined ? json : { ...json, amount: own['transferAmount'] }
  })

/** Step 3 left out: whatever the condition is. */
export const takingAnyCondition = () =>
  remembering((json, quoted) => {
    const own = quoted.find((each) => each['ilpPacket'] === json['ilpPacket'])
    return own === undefined ? json : { ...json, condition: own['condition'] }
  })

function addressIn(json: JsonObject): string | undefined {
  return decodePacket(String(json['ilpPacket']))?.address
}

/** Quotes a packet of another amount, and knows it again. */
export function quotingOtherAmount(): Breakage {
  const originals = new Map<unknown, unknown>()
  return {
    ...reading(transfers, (json) => ({
      ...json,
      ilpPacket: originals.get(json['ilpPacket']) ?? json['ilpPacket'],
    })),
    outgoing(message, forward) {
      if (!terms(aboutOf(message.method, message.path))) return forward(message)
      const json = jsonOf(message.body)
      const packet = decodePacket(String(json['ilpPacket']))
      if (packet === undefined) return forward(message)
      const ilpPacket = encodePacket({ ...packet, amount: packet.amount + 1n })
      originals.set(ilpPacket, json['ilpPacket'])
      return forward({ ...message, body: Buffer.from(JSON.stringify({ ...json, ilpPacket })) })
    },
  }
}

/** Draws a new fulfilment for the second transfer on a packet. */
export function drawingFulfilments(): Breakage {
  const first = new Map<unknown, unknown>()
  const others = new Set<string>()
  return {
    incoming(message, receive) {
      const json = jsonOf(message.body)
      if (message.method === 'POST' && message.target === '/transfers') {
        const id = first.get(json['ilpPacket']) ?? json['transferId']
        first.set(json['ilpPacket'], id)
        if (id !== json['transferId']) others.add(`/transfers/${String(json['transferId'])}`)
      }
      return receive(message)
    },
    outgoing(message, forward) {
      if (message.method !== 'PUT' || !others.has(message.path)) return forward(message)
      const fulfilment = randomBytes(32).toString('base64url')
      const body = Buffer.from(JSON.stringify({ ...jsonOf(message.body), fulfilment }))
      return forward({ ...message, body })
    },
  }
}

/** A fulfilment of no condition. */
export const noFulfilment = conditionOf(conditionOf('A'.repeat(43)))
