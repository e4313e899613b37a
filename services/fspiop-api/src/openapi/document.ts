/**
 * The OpenAPI document of the port for FSPs: every operation that is served, with the schemas that its
 * messages are read with. Answers to requests are sent later, as messages of the hub to the FSP.
 */
import {
  contentType,
  errorBody,
  errorCatalogue,
  resourceRules,
  type Method,
  type Operation,
  type Resource,
  type ResourceRules,
} from '@causeway/fspiop'
import { z } from 'zod'
import type { ServedRoute, ServedRoutes } from '../chain.ts'
import { formCodes } from '../pages/errors-page.ts'
import { reasons, refusalType, refuse, type Compatibility } from '../refusals.ts'
import { messages, type DescribedMessage } from './messages.ts'

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
type Schema = { readonly [member: string]: Json }

/** Named schemas appear once, in the document's components. */
type NamedSchemas = Map<string, Schema>

const description = `The FSPIOP API v1.1 and the Third-Party API v1.0 as this hub accepts them. A request is acknowledged with 202, its result follows as a message from the hub to the callback address of the FSP. A body may have members that the schemas do not name: they are relayed. What a schema cannot express, such as the validity of a currency code, is refused with the codes of the 400 answer.`

/** Throws for a served route without a description. */
export function openApiDocument(served: ServedRoutes, compatibility: Compatibility): Schema {
  const named: NamedSchemas = new Map()
  const paths: Record<string, Record<string, Json>> = {}
  for (const [operation, route] of Object.entries(served)) {
    const message = messages[operation as Operation]
    if (message === undefined) throw new Error(`${operation} is served but not described`)
    const [method = '', path = ''] = operation.split(' ')
    const methods = (paths[path] ??= {})
    methods[method.toLowerCase()] = operationObject(method as Method, path, route, message, named)
  }
  const error = bodySchema(errorBody, '', named)
  const resources = new Set(Object.keys(paths).map(resourceOf))
  return {
    openapi: '3.1.0',
    info: { title: 'Causeway API for FSPs', version: '1.1', description },
    servers: [{ url: '.' }],
    paths,
    components: {
      schemas: Object.fromEntries(named),
      parameters: headers,
      responses: errorAnswers(resources, error, compatibility),
    },
  }
}

function operationObject(
  method: Method,
  path: string,
  route: ServedRoute,
  { about, body, query }: DescribedMessage,
  named: NamedSchemas,
): Json {
  const resource = resourceOf(path)
  const isAnswer = method === 'PUT' || method === 'PATCH'
  const status = route.status ?? (isAnswer ? 200 : 202)
  const operationId = `${method.toLowerCase()}${path.replaceAll(/[/{}]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`
  return {
    operationId,
    summary: about,
    tags: [resource],
    parameters: [
      ...pathParameters(path),
      ...(query === undefined ? [] : queryParameters(schemaOf(query, named))),
      ...headersOf(resource, method),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: contentOf(resource, bodySchema(body, operationId, named)),
          },
        }),
    responses: {
      [status]: { description: 'Acknowledged: the message is stored' },
      ...Object.fromEntries(
        errorStatuses.map((each) => [
          each,
          { $ref: `#/components/responses/${errorName(resource, each)}` },
        ]),
      ),
    },
  }
}

/**
 * The body of an operation appears once for all its media types; that of errors once for all
 * operations.
 */
function bodySchema(body: z.ZodType, operationId: string, named: NamedSchemas): Schema {
  const name =
    body === errorBody ? 'Error' : `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`
  if (!named.has(name)) named.set(name, schemaOf(body, named))
  return { $ref: `#/components/schemas/${name}` }
}

const pathTexts: Readonly<Record<string, string>> = {
  Type: 'Type of the identifier, such as MSISDN',
  ID: 'Identifier, percent-encoded',
  SubId: 'Sub-identifier or type of the identifier, percent-encoded',
  ServiceType: 'THIRD_PARTY_DFSP or AUTH_SERVICE',
}

function pathParameters(path: string): readonly Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathTexts[name] ?? '',
    schema: { type: 'string', minLength: 1 },
  }))
}

function queryParameters({ properties = {}, required = [] }: Schema): readonly Json[] {
  return Object.entries(properties as Schema).map(([name, schema]) => ({
    name,
    in: 'query',
    required: (required as readonly Json[]).includes(name),
    schema,
  }))
}

const headers = {
  Date: header('Date', 'When the request was made, as RFC 9110 writes it', true),
  Source: header('FSPIOP-Source', 'The FSP that sends the message', true),
  Destination: header('FSPIOP-Destination', 'The FSP that the message is for, if known', false),
  RequiredDestination: header('FSPIOP-Destination', 'The FSP that the message is for', true),
  Signature: header(
    'FSPIOP-Signature',
    'JWS of the body and the headers; required where JWS_VERIFY=on',
    false,
  ),
  Uri: header('FSPIOP-URI', 'The path that was signed', false),
  HttpMethod: header('FSPIOP-HTTP-Method', 'The method that was signed', false),
  Encryption: header('FSPIOP-Encryption', 'Which members of the body are encrypted', false),
  Trace: header('traceparent', 'The W3C trace context; the callbacks carry it', false),
} as const

function header(name: string, about: string, required: boolean) {
  return { name, in: 'header', required, description: about, schema: { type: 'string' } }
}

function headersOf(resource: Resource, method: Method): readonly Json[] {
  const rules: ResourceRules = resourceRules[resource]
  const destination = rules.destinationRequired.includes(method)
    ? 'RequiredDestination'
    : 'Destination'
  const names = [
    'Date',
    'Source',
    destination,
    'Signature',
    'Uri',
    'HttpMethod',
    'Encryption',
    'Trace',
  ]
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

function resourceOf(path: string): Resource {
  return path.split('/')[1] as Resource
}

function versionedTypes(resource: Resource): readonly string[] {
  return resourceRules[resource].versions.map((version) => contentType(resource, version))
}

/** The media types that name a version; the Third-Party API takes plain JSON too. */
function contentOf(resource: Resource, schema: Schema): Schema {
  const rules: ResourceRules = resourceRules[resource]
  const types = versionedTypes(resource)
  const plain = rules.isThirdParty === true ? ['application/json'] : []
  return Object.fromEntries([...types, ...plain].map((type) => [type, { schema }]))
}

/** The error codes of refusals before the acknowledgement, by status. */
function errorCodes(compatibility: Compatibility): ReadonlyMap<number, ReadonlySet<string>> {
  const codes = new Map<number, Set<string>>()
  const add = (
    status: number,
    code: keyof typeof errorCatalogue | `${keyof typeof errorCatalogue}`,
  ) => {
    const line = `${code} ${errorCatalogue[code].name}`
    codes.set(status, (codes.get(status) ?? new Set<string>()).add(line))
  }
  for (const code of formCodes) add(errorCatalogue[code].status, code)
  for (const reason of reasons) {
    const { status, code } = refuse(reason, compatibility)
    add(status, code)
  }
  return codes
}

/**
 * The error statuses of a described operation; those of an unknown path or method are not among
 * them.
 */
const errorStatuses = [400, 401, 403, 406, 503] as const

/** The name of the component. */
function errorName(resource: Resource, status: number): string {
  return `${resource}-${status}`
}

/** Errors have the media type of their resource, in the version that was agreed. */
function errorAnswers(
  resources: ReadonlySet<Resource>,
  schema: Schema,
  compatibility: Compatibility,
): Schema {
  const codes = errorCodes(compatibility)
  return Object.fromEntries(
    [...resources].flatMap((resource) => {
      const types = versionedTypes(resource).map((type) => refusalType(type, compatibility))
      const content = Object.fromEntries(types.map((type) => [type, { schema }]))
      return errorStatuses.map((status) => {
        const description = [...(codes.get(status) ?? [])].toSorted().join('; ')
        return [errorName(resource, status), { description, content }]
      })
    }),
  )
}

function schemaOf(schema: z.ZodType, named: NamedSchemas): Schema {
  const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const moved = JSON.parse(
    JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as Schema
  const { $schema: _, $defs = {}, ...rest } = moved
  for (const [name, definition] of Object.entries($defs as Schema)) {
    const { id: __, ...members } = definition as Schema
    named.set(name, members)
  }
  return rest
}
