/**
 * Each operation of the administration API with paths, queries and bodies that are almost valid: every
 * answer is one that the operation documents, and none is a fault of the hub.
 */
import * as accountLookup from '@causeway/account-lookup'
import * as audit from '@causeway/audit'
import * as authService from '@causeway/auth-service'
import * as config from '@causeway/config'
import { changedJson, changedText } from '@causeway/fuzzing'
import * as notifications from '@causeway/notifications'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import * as quoting from '@causeway/quoting'
import * as scheduler from '@causeway/scheduler'
import * as settlements from '@causeway/settlements'
import * as transfers from '@causeway/transfers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openWorld, type World } from './testing/world.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>
  }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

let admin: World
let document: Document

beforeAll(async () => {
  const services = [
    participantLifecycle,
    authService,
    settlements,
    quoting,
    transfers,
    accountLookup,
    scheduler,
    notifications,
    audit,
    config,
  ]
  admin = await openWorld(services)
  document = (await admin.call('GET', '/openapi.json')).json as Document
}, 60_000)

afterAll(() => admin.stop())

/** A value that fits the schema, roughly: the names of members are what matters. */
function exampleOf(schema: Schema | undefined, depth = 0): unknown {
  if (schema === undefined || depth > 8) return null
  if (schema.$ref !== undefined) {
    return exampleOf(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''], depth + 1)
  }
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [first] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []
  if (first !== undefined) return exampleOf(first, depth + 1)
  if (schema.properties !== undefined) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, one]) => [name, exampleOf(one, depth + 1)]),
    )
  }
  if (schema.type === 'array') return [exampleOf(schema.items, depth + 1)]
  if (schema.type === 'integer' || schema.type === 'number') return 1
  return schema.type === 'boolean' ? true : 'USD'
}

interface Call {
  readonly method: string
  readonly path: string
  readonly body: string | undefined
}

function callsOf(path: string, method: string, described: Described): fc.Arbitrary<Call> {
  const named = path.replaceAll(/\{\w+\}/g, 'Hub')
  const names = (described.parameters ?? []).filter((one) => one.in === 'query')
  const query = names.map(({ name }) => `${name}=USD`).join('&')
  const target = query === '' ? named : `${named}?${query}`
  const schema = Object.values(described.requestBody?.content ?? {})[0]?.schema
  const body =
    schema === undefined
      ? fc.constant(undefined)
      : changedJson(exampleOf(schema)).map((json) => JSON.stringify(json))
  return fc.record({
    method: fc.constant(method.toUpperCase()),
    path: fc.oneof(
      fc.constant(target),
      changedText([target]).map((text) => `/${text.replace(/^\/+/, '')}`),
    ),
    body,
  })
}

test('No request to the administration API ends in a fault of the hub', async () => {
  const arbitraries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => callsOf(path, method, described)),
  )
  expect(arbitraries.length).toBeGreaterThan(50)
  await fc.assert(
    fc.asyncProperty(fc.oneof(...arbitraries), async ({ method, path, body }) => {
      if (!URL.canParse(path, admin.url)) return
      const { status, text } = await admin.call(method, path, body)
      // 501: the operation says so itself.
      if (status >= 500 && status !== 501) throw new Error(`${status} ${text}`)
    }),
    { numRuns: 600 },
  )
}, 300_000)

test('A request that cannot be read as HTTP is refused with a code, like any other', async () => {
  const { status, json } = await admin.call('GET', `/participants/${'x'.repeat(70_000)}`)
  expect(status).toBe(400)
  expect(json).toMatchObject({ errorInformation: { errorCode: '3101' } })
})
