/**
 * The OpenAPI document has the operations that the edge serves, and the members that it requires.
 */
import { describe, expect, test } from '@jest/globals'
import { every } from '../testing/every.ts'
import { openEdge, readAtOnce, unawaited } from '../testing/edge.ts'
import { withMembers } from '../testing/messages.ts'
import { testSettings } from '../testing/settings.ts'
import { everyRelayed } from '../testing/thirdparty.ts'
import { servedRoutes } from '../routes.ts'
import { openApiDocument } from './document.ts'
import { messages } from './messages.ts'

interface Described {
  readonly operationId: string
  readonly parameters: readonly { readonly name?: string; readonly required?: boolean }[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>
  }
  readonly responses: Readonly<Record<string, unknown>>
}

interface BodySchema {
  readonly properties?: object
  readonly required?: readonly string[]
}

const served = servedRoutes(testSettings, {
  owners: { ownerOf: () => Promise.resolve({ type: 'NONE' }) },
  providers: { of: () => Promise.resolve([]) },
  largeBodies: readAtOnce,
  arrivals: unawaited,
  participants: { getFresh: () => Promise.resolve(undefined) },
  relay_ms: () => 60_000,
  question_ms: () => 7_000,
})
const document = openApiDocument(served, 'specification') as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
  ),
)
const edge = openEdge()
const sentWith = new Map(
  [...every, ...everyRelayed].map(({ operation, sent }) => [operation as string, sent]),
)

test('The document describes every operation that the edge serves, and no other', () => {
  expect(described.map(([operation]) => operation).toSorted()).toEqual(
    Object.keys(served).toSorted(),
  )
  expect(Object.keys(messages).toSorted()).toEqual(Object.keys(served).toSorted())
})

test('The document names each operation once, and only components that it has', () => {
  const ids = described.map(([, { operationId }]) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  const references = [
    ...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g),
  ]
  expect(references.length).toBeGreaterThan(500)
  const missing = references.filter(
    ([, kind = '', name = '']) => document.components[kind]?.[name] === undefined,
  )
  expect(missing).toEqual([])
  expect(JSON.stringify(document)).not.toContain('#/$defs')
})

test('The document has the limits of elements and the codes of refusals', () => {
  expect(document.components['schemas']?.['Money']).toEqual({
    type: 'object',
    properties: {
      currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217' },
      amount: { type: 'string', pattern: String.raw`^(?:0|[1-9]\d{0,17})(?:\.\d{0,3}[1-9])?$` },
    },
    required: ['currency', 'amount'],
    additionalProperties: {},
  })
  expect(document.components['responses']?.['transfers-401']).toMatchObject({
    description: '3000 Generic client error',
  })
  expect(document.components['responses']?.['accounts-406']).toMatchObject({
    description: '3001 Unacceptable version requested',
  })
})

const withBody = described.flatMap(([operation, { requestBody }]) => {
  const [content] = Object.values(requestBody?.content ?? {})
  const sent = sentWith.get(operation)
  const name = content?.schema.$ref.split('/').at(-1) ?? ''
  const schema = document.components['schemas']?.[name] as BodySchema
  return content === undefined || sent === undefined ? [] : [[operation, schema, sent] as const]
})

/** Members required because of another member, which a list of required members cannot express. */
const conditionallyRequired: Readonly<Partial<Record<string, readonly string[]>>> = {
  // Or accountList.
  'PUT /accounts/{ID}': ['accounts'],
  // With WEB among the channels.
  'POST /consentRequests': ['callbackUri'],
  // With ACCEPTED.
  'PUT /thirdpartyRequests/authorizations/{ID}': ['signedPayload'],
}

describe.each(withBody)('The body of %s', (operation, schema, sent) => {
  test('The edge requires exactly the members that the document requires', async () => {
    const names = Object.keys(JSON.parse(String(sent.body)) as object)
    const needed: string[] = []
    for (const name of names) {
      const outcome = await edge.outcomeOf(withMembers(sent, { [name]: undefined }))
      if (outcome.startsWith(`400 3102 /${name}`)) needed.push(name)
    }
    // A choice between forms requires the members that all of its forms require.
    const forms = (schema as { readonly oneOf?: readonly BodySchema[] }).oneOf ?? [schema]
    const required = names.filter((name) => forms.every((form) => form.required?.includes(name)))
    expect(needed).toEqual([...required, ...(conditionallyRequired[operation] ?? [])])
  })
})

test('The document describes a body for every message that has one, and for no other', () => {
  const missing = described.filter(([operation, { requestBody }]) => {
    const sent = sentWith.get(operation)
    return sent !== undefined && (sent.body === undefined) !== (requestBody === undefined)
  })
  expect(missing.map(([operation]) => operation)).toEqual([])
  expect(withBody.length).toBeGreaterThan(40)
})
