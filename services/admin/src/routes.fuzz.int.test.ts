/**
 * Each operation of the administration API with paths, queries and bodies that are almost valid: every
 * answer is one that the operation documents, a path of no operation is refused with a code, and no answer
 * is a fault of the hub.
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
import { openWorld, type AdminWorld } from './testing/world.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}

interface Described {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>
  }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

let admin: AdminWorld
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

const uuid = 'b2a7f0d4-1e9c-4f63-8a52-7d40c9e8136b'

/** The last ones are in no year of four digits, and PostgreSQL knows no year 0. */
const times = ['2026-03-01T12:00:00Z', '0000-12-31T12:00:00Z', '9999-12-31T23:00:00-02:00']

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
  if (schema.format === 'date-time') return times[0]
  if (schema.format === 'date') return '2026-03-01'
  if (schema.type === 'boolean') return true
  const pattern = new RegExp(schema.pattern ?? '')
  return ['USD', '1', '2026-03-01', '1.0.0', uuid].find((text) => pattern.test(text)) ?? 'USD'
}

interface Call {
  readonly method: string
  readonly path: string
  readonly body: string | undefined
}

interface Calls {
  /** As the document describes them. */
  readonly plain: readonly Call[]
  readonly changed: fc.Arbitrary<Call>
}

/** The path of the operation with these parameters in its query, and this time in all that are times. */
function targetOf(
  path: string,
  parameters: readonly Parameter[],
  query: readonly Parameter[],
  time: string,
): string {
  const valueOf = ({ schema }: Parameter) => {
    const example = exampleOf(schema)
    return encodeURIComponent(String(example === times[0] ? time : example))
  }
  const named = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    return parameter === undefined ? 'Hub' : valueOf(parameter)
  })
  const pairs = query.map((one) => `${one.name}=${valueOf(one)}`)
  return pairs.length === 0 ? named : `${named}?${pairs.join('&')}`
}

/** With all parameters, and with each of them beside those that are required, at each of the times. */
function targetsOf(path: string, { parameters = [] }: Described): readonly string[] {
  const query = parameters.filter((one) => one.in === 'query')
  const required = query.filter((one) => one.required === true)
  const queries = [query, required, ...query.map((one) => [...new Set([...required, one])])]
  const targets = queries.flatMap((some) =>
    times.map((time) => targetOf(path, parameters, some, time)),
  )
  return [...new Set([...targets, path.replaceAll(/\{\w+\}/g, 'Hub')])]
}

function callsOf(path: string, method: string, described: Described): Calls {
  const targets = targetsOf(path, described)
  const schema = Object.values(described.requestBody?.content ?? {})[0]?.schema
  const example = JSON.stringify(schema === undefined ? undefined : exampleOf(schema))
  const texts =
    schema === undefined
      ? []
      : [...new Set(times.map((time) => example.replaceAll(String(times[0]), time)))]
  const of = (target: string, body: string | undefined): Call => ({
    method: method.toUpperCase(),
    path: target,
    body,
  })
  const [plainTarget = '/'] = targets
  return {
    plain: [
      ...targets.map((target) => of(target, texts[0])),
      ...texts.map((text) => of(plainTarget, text)),
    ],
    changed: fc.record({
      method: fc.constant(method.toUpperCase()),
      path: fc.oneof(
        fc.constantFrom(...targets),
        changedText(targets).map((text) => `/${text.replace(/^\/+/, '')}`),
      ),
      body:
        texts.length === 0
          ? fc.constant(undefined)
          : fc.oneof(
              fc.constantFrom(...texts),
              ...texts.map((text) =>
                changedJson(JSON.parse(text)).map((json) => JSON.stringify(json)),
              ),
              changedText(texts),
            ),
    }),
  }
}

/** `admin.call` throws where the document does not name the answer. */
async function expectDocumented({ method, path, body }: Call): Promise<void> {
  if (!URL.canParse(path, admin.url)) return
  const { pathname, search } = new URL(path, admin.url)
  const { status, text, json } = await admin.call(method, `${pathname}${search}`, body)
  // 501: the operation says so itself.
  if (status >= 500 && status !== 501) throw new Error(`${method} ${path}: ${status} ${text}`)
  if (status < 400) return
  const { errorInformation } = json as {
    readonly errorInformation: Readonly<Record<'errorCode' | 'errorDescription', string>>
  }
  expect(errorInformation.errorCode).toMatch(/^[23]\d{3}$/)
  expect(errorInformation.errorDescription.length).toBeGreaterThan(0)
}

test('Each operation of the administration API gives answers that it documents, and none is a fault', async () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => callsOf(path, method, described)),
  )
  expect(operations.length).toBeGreaterThan(50)
  for (const { plain, changed } of operations) {
    for (const call of plain) await expectDocumented(call)
    await fc.assert(
      fc.asyncProperty(changed, (call) => expectDocumented(call)),
      { numRuns: 5 },
    )
  }
}, 300_000)

test('A request that cannot be read as HTTP is refused with a code, like any other', async () => {
  const { status, json } = await admin.call('GET', `/participants/${'x'.repeat(70_000)}`)
  expect(status).toBe(400)
  expect(json).toMatchObject({ errorInformation: { errorCode: '3101' } })
})
