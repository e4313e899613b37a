/**
 * The paths of the API as a table, and the look-up of the route of a request. It does not define which
 * of them the hub serves. FSPIOP 6.1.1.
 */
import { serviceType } from './bodies/enumerations.ts'
import { type Refusal, refusal } from './errors.ts'
import { isCorrelationId, isThirdPartyId } from './bodies/ids.ts'
import { identifierFault, isPartyIdType, isThirdPartyIdType, subIdFault } from './party-id.ts'
import { type Method, type Resource, type ResourceRules, resourceRules } from './resources.ts'

interface RouteShape {
  readonly resource: Resource
  readonly template: `/${string}`
  readonly methods: readonly Method[]
}

/** The first match is used: error paths precede the paths that they also match. */
export const routes = [
  { resource: 'participants', template: '/participants', methods: ['POST'] },
  { resource: 'participants', template: '/participants/{ID}', methods: ['PUT'] },
  { resource: 'participants', template: '/participants/{ID}/error', methods: ['PUT'] },
  {
    resource: 'participants',
    template: '/participants/{Type}/{ID}',
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
  },
  { resource: 'participants', template: '/participants/{Type}/{ID}/error', methods: ['PUT'] },
  {
    resource: 'participants',
    template: '/participants/{Type}/{ID}/{SubId}',
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
  },
  {
    resource: 'participants',
    template: '/participants/{Type}/{ID}/{SubId}/error',
    methods: ['PUT'],
  },
  { resource: 'parties', template: '/parties/{Type}/{ID}', methods: ['GET', 'PUT'] },
  { resource: 'parties', template: '/parties/{Type}/{ID}/error', methods: ['PUT'] },
  { resource: 'parties', template: '/parties/{Type}/{ID}/{SubId}', methods: ['GET', 'PUT'] },
  { resource: 'parties', template: '/parties/{Type}/{ID}/{SubId}/error', methods: ['PUT'] },
  { resource: 'transactionRequests', template: '/transactionRequests', methods: ['POST'] },
  {
    resource: 'transactionRequests',
    template: '/transactionRequests/{ID}',
    methods: ['GET', 'PUT'],
  },
  {
    resource: 'transactionRequests',
    template: '/transactionRequests/{ID}/error',
    methods: ['PUT'],
  },
  { resource: 'quotes', template: '/quotes', methods: ['POST'] },
  { resource: 'quotes', template: '/quotes/{ID}', methods: ['GET', 'PUT'] },
  { resource: 'quotes', template: '/quotes/{ID}/error', methods: ['PUT'] },
  { resource: 'authorizations', template: '/authorizations/{ID}', methods: ['GET', 'PUT'] },
  { resource: 'authorizations', template: '/authorizations/{ID}/error', methods: ['PUT'] },
  { resource: 'transfers', template: '/transfers', methods: ['POST'] },
  { resource: 'transfers', template: '/transfers/{ID}', methods: ['GET', 'PUT', 'PATCH'] },
  { resource: 'transfers', template: '/transfers/{ID}/error', methods: ['PUT'] },
  { resource: 'transactions', template: '/transactions/{ID}', methods: ['GET', 'PUT'] },
  { resource: 'transactions', template: '/transactions/{ID}/error', methods: ['PUT'] },
  { resource: 'bulkQuotes', template: '/bulkQuotes', methods: ['POST'] },
  { resource: 'bulkQuotes', template: '/bulkQuotes/{ID}', methods: ['GET', 'PUT'] },
  { resource: 'bulkQuotes', template: '/bulkQuotes/{ID}/error', methods: ['PUT'] },
  { resource: 'bulkTransfers', template: '/bulkTransfers', methods: ['POST'] },
  { resource: 'bulkTransfers', template: '/bulkTransfers/{ID}', methods: ['GET', 'PUT'] },
  { resource: 'bulkTransfers', template: '/bulkTransfers/{ID}/error', methods: ['PUT'] },
  { resource: 'accounts', template: '/accounts/{ID}', methods: ['GET', 'PUT'] },
  { resource: 'accounts', template: '/accounts/{ID}/error', methods: ['PUT'] },
  { resource: 'consentRequests', template: '/consentRequests', methods: ['POST'] },
  {
    resource: 'consentRequests',
    template: '/consentRequests/{ID}',
    methods: ['GET', 'PUT', 'PATCH'],
  },
  { resource: 'consentRequests', template: '/consentRequests/{ID}/error', methods: ['PUT'] },
  { resource: 'consents', template: '/consents', methods: ['POST'] },
  {
    resource: 'consents',
    template: '/consents/{ID}',
    methods: ['GET', 'PUT', 'PATCH', 'DELETE'],
  },
  { resource: 'consents', template: '/consents/{ID}/error', methods: ['PUT'] },
  { resource: 'services', template: '/services/{ServiceType}', methods: ['GET', 'PUT'] },
  { resource: 'services', template: '/services/{ServiceType}/error', methods: ['PUT'] },
  {
    resource: 'thirdpartyRequests',
    template: '/thirdpartyRequests/transactions',
    methods: ['POST'],
  },
  {
    resource: 'thirdpartyRequests',
    template: '/thirdpartyRequests/transactions/{ID}',
    methods: ['GET', 'PUT', 'PATCH'],
  },
  {
    resource: 'thirdpartyRequests',
    template: '/thirdpartyRequests/transactions/{ID}/error',
    methods: ['PUT'],
  },
  {
    resource: 'thirdpartyRequests',
    template: '/thirdpartyRequests/authorizations',
    methods: ['POST'],
  },
  {
    resource: 'thirdpartyRequests',
    template: '/thirdpartyRequests/authorizations/{ID}',
    methods: ['GET', 'PUT'],
  },
  {
    resource: 'thirdpartyRequests',
    template: '/thirdpartyRequests/authorizations/{ID}/error',
    methods: ['PUT'],
  },
  {
    resource: 'thirdpartyRequests',
    template: '/thirdpartyRequests/verifications',
    methods: ['POST'],
  },
  {
    resource: 'thirdpartyRequests',
    template: '/thirdpartyRequests/verifications/{ID}',
    methods: ['GET', 'PUT'],
  },
  {
    resource: 'thirdpartyRequests',
    template: '/thirdpartyRequests/verifications/{ID}/error',
    methods: ['PUT'],
  },
  { resource: 'pings', template: '/pings', methods: ['POST'] },
  { resource: 'pings', template: '/pings/{ID}', methods: ['PUT'] },
] as const satisfies readonly RouteShape[]

export type Route = (typeof routes)[number]

type OperationOf<R> = R extends RouteShape ? `${R['methods'][number]} ${R['template']}` : never

/** A method and a path template, such as "PUT /transfers/{ID}"; the key of a handler. */
export type Operation = OperationOf<Route>

export interface PathParameters {
  readonly Type?: string
  readonly ID?: string
  readonly SubId?: string
  readonly ServiceType?: string
}

export type PathMatch =
  | {
      readonly kind: 'ROUTE'
      readonly operation: Operation
      readonly resource: Resource
      /** Percent-decoded once. */
      readonly parameters: PathParameters
      /** The fault of the parameters; the headers are checked before it is reported. */
      readonly fault: Refusal | undefined
    }
  | {
      readonly kind: 'METHOD_UNKNOWN'
      readonly resource: Resource
      /** For the Allow header of the 405. */
      readonly allow: readonly Method[]
    }
  | { readonly kind: 'PATH_UNKNOWN' }

interface CompiledRoute {
  readonly route: Route
  readonly methods: readonly Method[]
  readonly segments: readonly string[]
}

const compiled: readonly CompiledRoute[] = routes.map((route) => ({
  route,
  methods: route.methods,
  segments: route.template.slice(1).split('/'),
}))

/**
 * The route of a request; `path` is without query. Case-sensitive; a path with an empty segment,
 * including a trailing slash, is unknown. A last segment `error` on PUT is the error callback wherever
 * a path has one; on other methods, and on PUT where no error path matches, it is an identifier.
 */
export function matchPath(method: string, path: string): PathMatch {
  const segments = path.split('/')
  if (segments.shift() !== '' || segments.includes('')) return { kind: 'PATH_UNKNOWN' }
  // Some clients use the singular of the resource.
  if (segments[0] === 'consent' && segments.length > 1) segments[0] = 'consents'
  const fitting = compiled.filter((candidate) => fits(candidate.segments, segments))
  const [first] = fitting
  if (first === undefined) return { kind: 'PATH_UNKNOWN' }
  const found = fitting.find(({ methods }) => methods.some((known) => known === method))
  if (found === undefined) {
    const allow = [...new Set(fitting.flatMap(({ methods }) => methods))]
    return { kind: 'METHOD_UNKNOWN', resource: first.route.resource, allow }
  }
  const { route } = found
  return {
    kind: 'ROUTE',
    operation: `${method} ${route.template}` as Operation,
    resource: route.resource,
    ...readParameters(route.resource, found.segments, segments),
  }
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  if (template.length !== segments.length) return false
  return template.every((part, index) => part.startsWith('{') || part === segments[index])
}

function readParameters(
  resource: Resource,
  template: readonly string[],
  segments: readonly string[],
): { readonly parameters: PathParameters; readonly fault: Refusal | undefined } {
  const parameters: { Type?: string; ID?: string; SubId?: string; ServiceType?: string } = {}
  for (const [index, part] of template.entries()) {
    if (!part.startsWith('{')) continue
    const name = part.slice(1, -1) as keyof PathParameters
    const value = decoded(segments[index] ?? '')
    if (value === undefined) return { parameters, fault: malformed(name, 'not percent-encoded') }
    parameters[name] = value
  }
  return { parameters, fault: faultOf(resource, parameters) }
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

function faultOf(resource: Resource, parameters: PathParameters): Refusal | undefined {
  const { Type, ID, SubId, ServiceType } = parameters
  if (ServiceType !== undefined && !serviceType.safeParse(ServiceType).success) {
    return malformed('ServiceType', 'not one of its values')
  }
  if (ID === undefined) return undefined
  if (Type === undefined) {
    const why = resource === 'accounts' ? 'not a legal identifier' : 'not a legal CorrelationId'
    return isIdOf(resource, ID) ? undefined : malformed('ID', why)
  }
  if (!isPartyIdType(Type)) return malformed('Type', 'not a legal PartyIdType')
  if (resource === 'parties' && isThirdPartyIdType(Type)) {
    return malformed('Type', 'not a PartyIdType of a party')
  }
  const wrong = identifierFault(Type, ID)
  if (wrong !== undefined) return malformed('ID', wrong)
  const wrongSubId = SubId === undefined ? undefined : subIdFault(SubId)
  return wrongSubId === undefined ? undefined : malformed('SubId', wrongSubId)
}

/** The id of a user at an FSP: one percent-encoded segment of a path. */
const userIdPattern = /^(?!\.{1,2}$)[^\x00-\x1f\x7f]{1,128}$/u

function isIdOf(resource: Resource, id: string): boolean {
  if (resource === 'accounts') return userIdPattern.test(id)
  const rules: ResourceRules = resourceRules[resource]
  return rules.isThirdParty ? isThirdPartyId(id) : isCorrelationId(id)
}

function malformed(name: string, why: string): Refusal {
  return refusal('3101', `path parameter ${name}: ${why}`)
}
