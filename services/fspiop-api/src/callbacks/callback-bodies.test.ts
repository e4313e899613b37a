import { catalogue, type DomainEvent, type Relay } from '@causeway/events'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { z } from 'zod'
import { callbackEvents, bulkCallbackEvents, triggeredCallbacks } from '../callback-table.ts'
import { callbackMessages } from './callbacks.ts'
import { openEdge, receivedAt } from '../testing/edge.ts'

const edge = openEdge()
const names = [...callbackEvents, ...bulkCallbackEvents]

/** As much of JSON schema as the payloads of the events use. */
interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: object | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** Any payload of the schema; each text is the name of an FSP, so that each callback has an address. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(valuesOf))
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'string':
      return fc.constantFrom('greenbank', 'bluewallet')
    case 'integer':
      return fc.constantFrom(0, 1)
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), { maxLength: 3 })
    case 'object':
      return objectsOf(schema)
    default:
      return fc.jsonValue()
  }
}

/** Its members in any order. */
function objectsOf({ properties, required = [] }: Schema): fc.Arbitrary<object> {
  if (properties === undefined) return fc.dictionary(fc.string(), fc.jsonValue())
  const members = Object.entries(properties).map(([name, of]) => [name, valuesOf(of)] as const)
  const objects = fc.record(Object.fromEntries(members), { requiredKeys: [...required] })
  return fc
    .tuple(objects, fc.boolean())
    .map(([value, isReversed]) =>
      isReversed ? Object.fromEntries(Object.entries(value).toReversed()) : value,
    )
}

/** As a receiver serializes it again: members sorted by name at every depth. */
function serializedAgain(json: unknown): string {
  if (typeof json !== 'object' || json === null) return JSON.stringify(json)
  if (Array.isArray(json)) return `[${json.map(serializedAgain).join(',')}]`
  const members = Object.entries(json).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const texts = members.map(([name, value]) => `${JSON.stringify(name)}:${serializedAgain(value)}`)
  return `{${texts.join(',')}}`
}

/** The catalogue requires an error with this notice, which its schema cannot say. */
function isWithoutItsError(payload: unknown): boolean {
  const { notices, errorInformation } = payload as {
    readonly notices?: readonly string[]
    readonly errorInformation?: object
  }
  return notices?.includes('ERROR') === true && errorInformation === undefined
}

const relay: Relay = {
  body: Buffer.from(
    '{"individualTransfers":[{"transferId":"1","amount":{"currency":"USD","amount":"1"}}],"bulkQuoteId":"2"}',
  ),
  headers: Buffer.from('{"date":"x"}'),
}

test.each(names)(
  'Every message that the hub makes of %s is the same text when its body is parsed and serialized again with sorted members',
  async (name) => {
    const payloads = valuesOf(z.toJSONSchema(catalogue[name].schema) as Schema)
    await fc.assert(
      fc.asyncProperty(payloads, async (payload) => {
        fc.pre(!isWithoutItsError(payload))
        const event = { name, id: 'cause', time: receivedAt, payload, relay }
        const triggered = triggeredCallbacks(event as DomainEvent<typeof name>, {
          notifyPayeeOnTimeout: true,
          authService: 'centralAuth',
        })
        for (const message of await callbackMessages(triggered, edge.callbacks, new Date())) {
          if (message.type !== 'NotifyRequested') continue
          const body = message.headers['relay-body']?.toString() ?? ''
          if (body === relay.body.toString()) continue
          expect(body).toBe(serializedAgain(JSON.parse(body)))
        }
      }),
    )
  },
)
