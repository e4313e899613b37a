/**
 * The resources of the API and of the Third-Party API, each with its versions and required headers. A
 * new resource needs an entry here, its paths in `routes.ts` and its bodies in `resources/`.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** "<major>.<minor>", as in `version=1.1`. */
export type Version = `${number}.${number}`

export interface ResourceRules {
  /** Used when the other side leaves the choice to the hub, also for a major version alone. */
  readonly currentVersion: Version
  /** All accepted versions, in the order in which a refusal lists them. */
  readonly versions: readonly Version[]
  /** Methods for which FSPIOP-Destination is the only routing key, so that it is required. */
  readonly destinationRequired: readonly Method[]
  /** Its media type may also be that of the API as a whole (`thirdparty`), or plain JSON. */
  readonly isThirdParty?: true
}

const both = ['1.0', '1.1'] as const

/** Everything except GET /services, which the hub answers, is routed by FSPIOP-Destination only. */
const thirdParty = {
  currentVersion: '1.0',
  versions: ['1.0'],
  destinationRequired: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  isThirdParty: true,
} as const

/**
 * FSPIOP 3.3.4, 6.1.2. Authorizations and transactions are at 1.0, but existing clients name 1.1
 * there, so both are read everywhere. POSTs name the other FSP in their bodies; transfers and quotes,
 * single and in bulk, are routed by the hub's own record.
 */
export const resourceRules = {
  participants: { currentVersion: '1.1', versions: both, destinationRequired: ['PUT'] },
  parties: { currentVersion: '1.1', versions: both, destinationRequired: ['PUT'] },
  transactionRequests: {
    currentVersion: '1.1',
    versions: both,
    destinationRequired: ['GET', 'PUT'],
  },
  quotes: { currentVersion: '1.1', versions: both, destinationRequired: [] },
  authorizations: { currentVersion: '1.0', versions: both, destinationRequired: ['GET', 'PUT'] },
  transfers: { currentVersion: '1.1', versions: both, destinationRequired: [] },
  transactions: { currentVersion: '1.0', versions: both, destinationRequired: ['GET', 'PUT'] },
  bulkQuotes: { currentVersion: '1.1', versions: both, destinationRequired: [] },
  /** An extension of this hub: an FSP tests requests and callbacks. */
  pings: { currentVersion: '1.0', versions: both, destinationRequired: [] },
  bulkTransfers: { currentVersion: '1.1', versions: both, destinationRequired: [] },
  accounts: thirdParty,
  consentRequests: thirdParty,
  consents: thirdParty,
  services: { ...thirdParty, destinationRequired: ['PUT'] },
  thirdpartyRequests: thirdParty,
} as const satisfies Readonly<Record<string, ResourceRules>>

/** The first segment of a path, and the word in the media type. */
export type Resource = keyof typeof resourceRules
