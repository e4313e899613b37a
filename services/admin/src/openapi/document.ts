/**
 * The OpenAPI document of the operator port, generated from the route tables: it has exactly the
 * operations of their rows.
 */
import { errorCatalogue } from '@causeway/fspiop'
import { z } from 'zod'
import type { Compatibility, Reason } from '../contract.ts'
import { meaningOf } from '../contract.ts'
import { pathVariables } from '../fields.ts'
import type { Json } from '../json.ts'
import { operatorHeader } from '../access/guard.ts'
import { open, type GuardedOperation } from '../access/privileges.ts'
import type { Operation } from '../operation.ts'
import { shownError } from '../shapes.ts'

export interface DocumentOptions {
  readonly compatibility: Compatibility
  /** Whether operators must authenticate. */
  readonly tokens: boolean
}

export function openApiDocument(operations: readonly GuardedOperation[], options: DocumentOptions) {
  const named: NamedSchemas = new Map()
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    const methods = (paths[path] ??= {})
    methods[operation.method.toLowerCase()] = operationObject(operation, options, named)
  }
  answerSchema(shownError, named)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Causeway operator API',
      version: '1.0',
      description:
        'The administration API, the settlement API (/v2) and all other operations for the operator of the hub.',
    },
    servers: [{ url: '.' }],
    security: options.tokens ? [{ token: [] }] : [{}, { operator: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(named),
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        ...(options.tokens ? { token } : { operator }),
      },
    },
  } satisfies Json
}

const token = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }

const operator = {
  type: 'apiKey',
  in: 'header',
  name: operatorHeader,
  description: 'The name of the caller, not verified.',
}

function operationObject(
  operation: GuardedOperation,
  options: DocumentOptions,
  named: NamedSchemas,
): Json {
  const { method, path, about, body } = operation
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[:/.-]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: about.about,
    tags: [groupOf(path)],
    ...(options.tokens ? guardObject(operation) : {}),
    parameters: [
      ...pathParameters(operation, named),
      ...queryParameters(operation, named),
      ...headerParameters(operation),
    ],
    ...(body === null ? {} : { requestBody: bodyObject(operation, requestSchema(body, named)) }),
    responses: { ...answerObjects(operation, named), ...errorObjects(operation, options) },
  }
}

function guardObject(operation: GuardedOperation) {
  if (operation.about.takesBasic === true) return { security: [{}, { basic: [] }] }
  if (operation.privilege === open) return { security: [] }
  const { privilege, other } = operation
  const or = other === undefined ? '' : ` or, ${other.purpose}, ${other.privilege}`
  return { description: `Needs ${privilege}${or}.` }
}

/** The subject of the path: 'keys' of `/participants/:name/keys/:kid`. */
function groupOf(path: string): string {
  const [first = '', , third] = path.split('/').slice(1)
  if (/^(v2|settlements|settlementWindows)$/.test(first)) return 'settlement'
  // Operations of participant-lifecycle are named by their commands.
  if (/^[A-Z]/.test(first)) return 'lifecycle'
  return first === 'participants' && third !== undefined ? `participants: ${third}` : first
}

function pathParameters({ variables }: Operation, named: NamedSchemas): readonly Json[] {
  return variables.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: requestSchema(pathVariables[name], named),
  }))
}

function queryParameters({ query }: Operation, named: NamedSchemas): readonly Json[] {
  const { properties = {}, required = [] } = requestSchema(query, named)
  return Object.entries(properties as Schema).map(([name, schema]) => ({
    name,
    in: 'query',
    required: (required as readonly Json[]).includes(name),
    schema,
  }))
}

function headerParameters({ about }: Operation): readonly Json[] {
  return Object.entries(about.headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  }))
}

function bodyObject({ about }: Operation, schema: Schema): Json {
  return { required: about.takesBasic !== true, content: { 'application/json': { schema } } }
}

function answerObjects({ about }: Operation, named: NamedSchemas): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    Object.entries(about.answers).map(([status, shape]) => {
      const json = shape === null ? [] : [['application/json', answerSchema(shape, named)] as const]
      const files = status === '200' ? (about.files ?? []) : []
      const content = [...json, ...files.map((type) => [type, { type: 'string' }] as const)]
      const described = { description: status === '503' ? 'Not everything answers' : 'Done' }
      if (content.length === 0) return [status, described]
      const types = Object.fromEntries(content.map(([type, schema]) => [type, { schema }]))
      return [status, { ...described, content: types }]
    }),
  )
}

/** The refusals of any request of this kind, and those of the operation itself. */
export function reasonsOf(
  operation: GuardedOperation,
  { tokens }: DocumentOptions,
): readonly Reason[] {
  const asks = operation.variables.length > 0 || queryIsAsked(operation)
  const reasons: Reason[] = [
    ...(operation.about.refuses ?? []),
    ...(asks ? (['MALFORMED', 'INVALID'] as const) : []),
    ...(queryIsRequired(operation) ? (['MISSING'] as const) : []),
    ...(operation.body === null
      ? []
      : (['MISSING', 'MALFORMED', 'INVALID', 'TOO_MANY', 'TOO_LARGE'] as const)),
    ...(tokens && operation.privilege !== open ? tokenReasons : []),
    // An invalid name in the header, or a web page.
    ...(tokens ? [] : (['MALFORMED', 'FOREIGN_PAGE'] as const)),
    'NOT_ACCEPTABLE',
    ...(operation.method === 'POST' || operation.body !== null ? (['NOT_JSON'] as const) : []),
    'UNAVAILABLE',
    'FAULT',
  ]
  return [...new Set(reasons)]
}

/** Refusals for a missing identity and for missing privileges. */
const tokenReasons: readonly Reason[] = [
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'PRIVILEGE_MISSING',
  'PASSWORD_OLD',
  'KEY_MISSING',
]

function queryIsRequired({ query }: Operation): boolean {
  return ((requestSchema(query, new Map())['required'] ?? []) as readonly Json[]).length > 0
}

function queryIsAsked({ query }: Operation): boolean {
  return Object.keys((requestSchema(query, new Map())['properties'] ?? {}) as Schema).length > 0
}

function errorObjects(operation: GuardedOperation, options: DocumentOptions) {
  const codes = new Map<number, Set<string>>()
  for (const reason of reasonsOf(operation, options)) {
    const { status, code } = meaningOf(reason, options.compatibility)
    const ofStatus = codes.get(status) ?? new Set()
    codes.set(status, ofStatus.add(`${code} ${errorCatalogue[code].name}`))
  }
  const schema = { $ref: '#/components/schemas/Error' }
  return Object.fromEntries(
    [...codes].map(([status, lines]) => [
      status,
      {
        description: [...lines].toSorted((a, b) => a.localeCompare(b)).join('; '),
        content: { 'application/json': { schema } },
      },
    ]),
  )
}

type Schema = { readonly [member: string]: Json }

/** A named schema is written once, in the document's components. */
type NamedSchemas = Map<string, Schema>

/** As a client writes it. */
function requestSchema(schema: z.ZodType, named: NamedSchemas): Schema {
  return converted(schema, 'input', named)
}

/** As a client reads it. */
function answerSchema(schema: z.ZodType, named: NamedSchemas): Schema {
  return converted(schema, 'output', named)
}

function converted(schema: z.ZodType, io: 'input' | 'output', named: NamedSchemas): Schema {
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  const moved = JSON.parse(
    JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as Schema
  const { $schema: _, $defs = {}, ...rest } = moved
  for (const [name, definition] of Object.entries($defs as Schema)) {
    const { id: __, ...members } = definition as Schema
    named.set(name, members)
  }
  if (typeof rest['id'] !== 'string') return rest
  const { id, ...members } = rest
  named.set(id, members)
  return { $ref: `#/components/schemas/${id}` }
}
