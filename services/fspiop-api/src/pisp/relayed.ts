/**
 * Messages between PISP and DFSP: relayed unchanged, because challenges and signatures are computed over
 * bytes. Only ids and members that the hub uses are read. Third-Party API 1.0.
 */
import type { OutgoingMessage } from '@causeway/bus'
import type { LegRole } from '@causeway/events'
import {
  errorBody,
  patchConsentRequests,
  patchThirdpartyTransactions,
  payloadHash,
  postConsentRequests,
  postThirdpartyAuthorizations,
  postThirdpartyTransactions,
  putAccounts,
  putConsentRequests,
  putThirdpartyAuthorizations,
  putThirdpartyTransactions,
  putVerifications,
  templateVariables,
  type Operation,
  type Resource,
  utcDateTime,
} from '@causeway/fspiop'
import type { z } from 'zod'
import type { Incoming, ReadResult, ServedRoute, ServedRoutes } from '../chain.ts'
import { bodyOf, idOf, malformed } from '../bodies/reading.ts'
import { passOn, type Expiration, type RelayRules } from '../relayed/relay.ts'
import {
  authorizationObserved,
  transactionObserved,
  verificationObserved,
  type ObservedMembers,
} from './observed.ts'

/** The path of an object without its id, which begins with the resource name. */
export type Collection =
  | '/accounts'
  | '/consentRequests'
  | '/consents'
  | '/thirdpartyRequests/transactions'
  | '/thirdpartyRequests/authorizations'
  | '/thirdpartyRequests/verifications'

/** In bytes: 256 accounts or scopes, or one credential with a chain of certificates. */
export const answer_bytes_max = 1_048_576

/** The route properties of requests. */
export const asking = { needsActiveSource: true, priority: 'LOOKUP' } as const

export const answering = {
  needsActiveSource: true,
  priority: 'ANSWER',
  isUnmatched: true,
  body_bytes_max: answer_bytes_max,
} as const

/** A message to relay: its operation, its subject, and events to store with it. */
export interface Relaying {
  readonly operation: Operation
  readonly id: string
  /** PAYER is the DFSP, which has the account; REQUESTER is the PISP or any other. */
  readonly role: LegRole
  readonly expiration?: Expiration | undefined
  /** The body of a request whose id must not be used with other content. */
  readonly json?: unknown
  /** The recipient from a lookup, when it is not the sender. */
  readonly owner?: string | undefined
  /** Stored together with it. */
  readonly alongside?: readonly OutgoingMessage[]
}

export function relay(message: Incoming, rules: RelayRules, relaying: Relaying): ReadResult {
  const { operation, id, role, expiration, json, owner, alongside } = relaying
  const collection = collectionOf(operation)
  const resource = collection.split('/')[1] as Resource
  const reading = passOn(message, rules, {
    resource,
    operation,
    entityId: id,
    role,
    owner,
    ...(json === undefined ? {} : { payloadHash: payloadHash(json) }),
    expiration,
    failure: operation.endsWith('/error') ? undefined : failureOf(collection, resource, id),
  })
  return reading.type === 'RELAY' && alongside !== undefined ? { ...reading, alongside } : reading
}

function collectionOf(operation: Operation): Collection {
  const path = operation.slice(operation.indexOf(' ') + 1)
  return path.replace(/\/\{ID\}.*$/, '') as Collection
}

/** The error callback to the sender of a message that could not be relayed. */
function failureOf(collection: Collection, resource: Resource, id: string) {
  return {
    operation: `PUT ${collection}/{ID}/error` as Operation,
    path: `${collection}/${encodeURIComponent(id)}/error`,
    variables: templateVariables(resource, { ID: id }),
  }
}

/** GET: only the id is read. */
export function query(operation: Operation, role: LegRole, rules: RelayRules): ServedRoute {
  return {
    ...asking,
    read: (message) => relay(message, rules, { operation, id: idOf(message), role }),
  }
}

/** The event about a message for the auth service. */
type Observe = (
  message: Incoming,
  method: 'PUT' | 'PATCH',
  id: string,
  body: ObservedMembers,
) => OutgoingMessage

/** PUT …/error: a failed delivery is not reported to its sender. */
function refusal(
  collection: Collection,
  role: LegRole,
  rules: RelayRules,
  observe?: Observe,
): ServedRoutes {
  const operation = `PUT ${collection}/{ID}/error` as Operation
  return { [operation]: answer(operation, errorBody, role, rules, observe) }
}

export function answer(
  operation: Operation,
  schema: z.ZodType,
  role: LegRole,
  rules: RelayRules,
  observe?: Observe,
): ServedRoute {
  const method = operation.startsWith('PATCH') ? 'PATCH' : 'PUT'
  return {
    ...answering,
    read(message) {
      // Some DFSPs answer with the bare list of accounts.
      const reading = bodyOf(schema, message, { mayBeList: schema === putAccounts })
      if (!reading.ok) return malformed(reading.code, reading.detail)
      const id = idOf(message)
      const body = reading.value as ObservedMembers
      const observed = observe === undefined ? undefined : [observe(message, method, id, body)]
      return relay(message, rules, {
        operation,
        id,
        role,
        ...(observed && { alongside: observed }),
      })
    },
  }
}

export function relayedRoutes(rules: RelayRules): ServedRoutes {
  return { ...linking(rules), ...transactions(rules), ...authorizations(rules), ...verified(rules) }
}

function linking(rules: RelayRules): ServedRoutes {
  return {
    'GET /accounts/{ID}': query('GET /accounts/{ID}', 'PAYER', rules),
    'PUT /accounts/{ID}': answer('PUT /accounts/{ID}', putAccounts, 'REQUESTER', rules),
    ...refusal('/accounts', 'REQUESTER', rules),
    'POST /consentRequests': {
      ...asking,
      read(message) {
        const reading = bodyOf(postConsentRequests, message)
        if (!reading.ok) return malformed(reading.code, reading.detail)
        const { consentRequestId: id } = reading.value
        const { json } = reading
        return relay(message, rules, {
          operation: 'POST /consentRequests',
          id,
          role: 'PAYER',
          json,
        })
      },
    },
    'GET /consentRequests/{ID}': query('GET /consentRequests/{ID}', 'PAYER', rules),
    'PUT /consentRequests/{ID}': answer(
      'PUT /consentRequests/{ID}',
      putConsentRequests,
      'REQUESTER',
      rules,
    ),
    // It answers no request of the DFSP over this API, so it does not count as an answer.
    'PATCH /consentRequests/{ID}': {
      ...answer('PATCH /consentRequests/{ID}', patchConsentRequests, 'PAYER', rules),
      ...asking,
      isUnmatched: undefined,
    },
    ...refusal('/consentRequests', 'REQUESTER', rules),
  }
}

function transactions(rules: RelayRules): ServedRoutes {
  const one = '/thirdpartyRequests/transactions/{ID}'
  return {
    'POST /thirdpartyRequests/transactions': {
      ...asking,
      read(message) {
        const reading = bodyOf(postThirdpartyTransactions, message)
        if (!reading.ok) return malformed(reading.code, reading.detail)
        const { transactionRequestId: id, expiration: at } = reading.value
        const expiration =
          at === undefined ? undefined : ({ at: utcDateTime(at), code: '3301' } as const)
        const operation = 'POST /thirdpartyRequests/transactions'
        const { json } = reading
        const alongside = [transactionObserved(message, 'POST', id, {})]
        return relay(message, rules, { operation, id, role: 'PAYER', expiration, json, alongside })
      },
    },
    [`GET ${one}`]: query(`GET ${one}`, 'PAYER', rules),
    [`PUT ${one}`]: answer(
      `PUT ${one}`,
      putThirdpartyTransactions,
      'REQUESTER',
      rules,
      transactionObserved,
    ),
    [`PATCH ${one}`]: answer(
      `PATCH ${one}`,
      patchThirdpartyTransactions,
      'REQUESTER',
      rules,
      transactionObserved,
    ),
    ...refusal('/thirdpartyRequests/transactions', 'REQUESTER', rules, transactionObserved),
  }
}

function authorizations(rules: RelayRules): ServedRoutes {
  const one = '/thirdpartyRequests/authorizations/{ID}'
  return {
    'POST /thirdpartyRequests/authorizations': {
      ...asking,
      read(message) {
        const reading = bodyOf(postThirdpartyAuthorizations, message)
        if (!reading.ok) return malformed(reading.code, reading.detail)
        const { authorizationRequestId: id, expiration: at } = reading.value
        const expiration =
          at === undefined ? undefined : ({ at: utcDateTime(at), code: '3300' } as const)
        const operation = 'POST /thirdpartyRequests/authorizations'
        const { json, value } = reading
        const alongside = [authorizationObserved(message, 'POST', id, value)]
        return relay(message, rules, {
          operation,
          id,
          role: 'REQUESTER',
          expiration,
          json,
          alongside,
        })
      },
    },
    [`GET ${one}`]: query(`GET ${one}`, 'REQUESTER', rules),
    [`PUT ${one}`]: answer(
      `PUT ${one}`,
      putThirdpartyAuthorizations,
      'PAYER',
      rules,
      authorizationObserved,
    ),
    ...refusal('/thirdpartyRequests/authorizations', 'PAYER', rules, authorizationObserved),
  }
}

/** The answers of an external auth service. */
function verified(rules: RelayRules): ServedRoutes {
  const one = '/thirdpartyRequests/verifications/{ID}'
  return {
    [`PUT ${one}`]: answer(`PUT ${one}`, putVerifications, 'PAYER', rules, verificationObserved),
    ...refusal('/thirdpartyRequests/verifications', 'PAYER', rules, verificationObserved),
  }
}
