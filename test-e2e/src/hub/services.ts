/** The services that a hub is made of, and the processes in which the stories run them. */

/** Each service with those that it calls. */
export const providers = {
  'fspiop-api': ['participant-lifecycle', 'auth-service', 'account-lookup', 'settlements'],
  'account-lookup': ['participant-lifecycle'],
  quoting: ['participant-lifecycle', 'account-lookup'],
  audit: [],
  scheduler: [],
  settlements: ['participant-lifecycle', 'scheduler', 'transfers', 'quoting', 'auth-service'],
  transfers: ['participant-lifecycle', 'quoting'],
  'participant-lifecycle': ['settlements', 'transfers', 'notifications', 'auth-service'],
  notifications: ['participant-lifecycle'],
  'auth-service': ['participant-lifecycle'],
  admin: [
    'participant-lifecycle',
    'settlements',
    'quoting',
    'transfers',
    'auth-service',
    'notifications',
    'account-lookup',
    'audit',
    'scheduler',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type ServiceName = keyof typeof providers

export const serviceNames = Object.keys(providers) as readonly ServiceName[]

/** A process of the hub: the second one of a service has a 2 behind its name. */
export type ProcessName = ServiceName | `${ServiceName}-${number}`

/**
 * Of the ledger there are two, one of which waits for the other's end, and two edges, of which an FSP
 * takes one that is there.
 */
export const processNames: readonly ProcessName[] = [
  ...serviceNames,
  'participant-lifecycle-2',
  'fspiop-api-2',
]

export const serviceOf = (name: ProcessName) => name.replace(/-\d+$/, '') as ServiceName

/** They store nothing, so they have no database. */
export const withoutDatabase: ReadonlySet<ServiceName> = new Set(['fspiop-api', 'admin'])

/** As schemas, roles and settings are named. */
export const snake = (service: string) => service.replaceAll('-', '_')
