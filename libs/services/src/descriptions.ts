/**
 * A service of a hub, described once: what it calls, whether it stores anything, and what it needs
 * where services run in processes of their own. `npm run docs` writes the chart's facts, the
 * containers of the compose file and the targets of Prometheus from it.
 */
export interface Description {
  /** The services whose gRPC methods its code calls. */
  readonly calls: readonly string[]
  /** Its replicas call each other. */
  readonly callsItself?: true
  /** Whether it has a schema of its own, at <SERVICE>_DATABASE_URL. */
  readonly database: boolean
  /** The folders of packages that have tables of their own in its schema; they come before its own. */
  readonly hosts?: readonly string[]
  /** Folders of files below /etc/causeway, beside `grpc` and `component`, which each service has. */
  readonly files?: readonly string[]
  /** Settings whose values come from a secret: its folder and its key. */
  readonly secrets?: Readonly<Record<string, readonly [folder: string, key: string]>>
  /**
   * It connects to addresses outside the hub: those that FSPs and operators register, or only those that
   * its settings name.
   */
  readonly outside?: 'registered' | 'settings'
  /** Ports beside 4200 (gRPC) and 4190 (health and metrics), by name. */
  readonly ports?: Readonly<Record<string, number>>
}

/** By the name of its folder, which is also the common name of its certificate. */
const descriptions = {
  'account-lookup': {
    calls: ['auth-service', 'participant-lifecycle'],
    database: true,
    outside: 'registered',
  },
  admin: {
    calls: [
      'account-lookup',
      'audit',
      'auth-service',
      'config',
      'fspiop-api',
      'notifications',
      'participant-lifecycle',
      'quoting',
      'scheduler',
      'settlements',
      'transfers',
    ],
    database: false,
  },
  audit: {
    calls: ['auth-service', 'scheduler'],
    database: true,
    outside: 'settings',
    files: ['signing'],
    secrets: { AUDIT_SECRETS_KEY: ['seal', 'AUDIT_SECRETS_KEY'] },
  },
  'auth-service': {
    calls: ['participant-lifecycle', 'scheduler'],
    database: true,
    hosts: ['libs/approvals'],
    files: ['scheme-ca', 'operators', 'administrator2'],
    outside: 'settings',
    secrets: { AUTH_SERVICE_SECRETS_KEY: ['seal', 'AUTH_SERVICE_SECRETS_KEY'] },
  },
  config: {
    calls: ['auth-service'],
    database: true,
    hosts: ['libs/approvals'],
    secrets: { CONFIG_SECRETS_KEY: ['seal', 'CONFIG_SECRETS_KEY'] },
  },
  'fspiop-api': {
    calls: [
      'account-lookup',
      'auth-service',
      'config',
      'notifications',
      'participant-lifecycle',
      'settlements',
      'transfers',
    ],
    database: false,
    files: ['fsp-port', 'signing'],
    ports: { fsp: 4_000 },
  },
  notifications: {
    calls: ['auth-service', 'config', 'participant-lifecycle'],
    database: true,
    hosts: ['libs/keys'],
    files: ['fsp-client'],
    outside: 'registered',
  },
  'participant-lifecycle': {
    calls: ['auth-service', 'config', 'notifications', 'settlements', 'transfers'],
    callsItself: true,
    database: true,
    hosts: ['libs/approvals', 'services/ledger'],
    outside: 'registered',
  },
  quoting: {
    calls: ['account-lookup', 'auth-service', 'config', 'participant-lifecycle'],
    database: true,
    hosts: ['libs/approvals', 'libs/keys'],
  },
  scheduler: { calls: ['auth-service'], database: true, outside: 'registered' },
  settlements: {
    calls: ['auth-service', 'participant-lifecycle', 'quoting', 'scheduler', 'transfers'],
    database: true,
  },
  transfers: {
    calls: ['auth-service', 'config', 'participant-lifecycle', 'quoting'],
    database: true,
    hosts: ['libs/keys'],
  },
} as const satisfies Readonly<Record<string, Description>>

export type ServiceName = keyof typeof descriptions

export const serviceNames = Object.keys(descriptions) as readonly ServiceName[]

export function callsOf(service: ServiceName): readonly ServiceName[] {
  return descriptions[service].calls
}

export function hasDatabase(service: ServiceName): boolean {
  return descriptions[service].database
}

export function descriptionOf(service: ServiceName): Description {
  return descriptions[service]
}

/** As in the names of its settings: `ACCOUNT_LOOKUP`. */
export function settingPrefix(service: ServiceName): string {
  return service.toUpperCase().replaceAll('-', '_')
}
