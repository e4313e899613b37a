export {
  reserveRefusals,
  settlementKinds,
  voidReasons,
  type ReserveRefusal,
  type SettlementKind,
  type VoidReason,
} from './ledger.ts'
export {
  judgeDecision,
  stateAfter,
  type ApprovalDecision,
  type ApprovalRequest,
  type Judgement,
  type RequestState,
} from './approval.ts'
export { isRefused, refuse, type RefusalReason, type Refused, type RefusedBy } from './refusals.ts'

/**
 * The services of a hub, described once: what each calls and whether it stores anything. Code takes
 * this description from here; the chart, whose files are not code, is compared with it by a test.
 */
interface Description {
  /** The services whose gRPC methods its code calls. */
  readonly calls: readonly string[]
  /** Whether it has a schema of its own, at <SERVICE>_DATABASE_URL. */
  readonly database: boolean
}

/** By the name of its folder, which is also the common name of its certificate. */
const descriptions = {
  'account-lookup': { calls: ['participant-lifecycle'], database: true },
  admin: {
    calls: [
      'participant-lifecycle',
      'settlements',
      'quoting',
      'transfers',
      'auth-service',
      'notifications',
      'account-lookup',
      'audit',
      'config',
      'scheduler',
    ],
    database: false,
  },
  audit: { calls: [], database: true },
  'auth-service': { calls: ['participant-lifecycle'], database: true },
  config: { calls: [], database: true },
  'fspiop-api': {
    calls: ['participant-lifecycle', 'auth-service', 'account-lookup', 'settlements', 'config'],
    database: false,
  },
  notifications: { calls: ['participant-lifecycle', 'config'], database: true },
  'participant-lifecycle': {
    calls: ['settlements', 'transfers', 'notifications', 'auth-service'],
    database: true,
  },
  quoting: { calls: ['participant-lifecycle', 'account-lookup', 'config'], database: true },
  scheduler: { calls: [], database: true },
  settlements: {
    calls: ['participant-lifecycle', 'scheduler', 'transfers', 'quoting', 'auth-service'],
    database: true,
  },
  transfers: { calls: ['participant-lifecycle', 'quoting', 'config'], database: true },
} as const satisfies Readonly<Record<string, Description>>

export type ServiceName = keyof typeof descriptions

export const serviceNames = Object.keys(descriptions) as readonly ServiceName[]

export function callsOf(service: ServiceName): readonly ServiceName[] {
  return descriptions[service].calls
}

export function hasDatabase(service: ServiceName): boolean {
  return descriptions[service].database
}

/** As in the names of its settings: `ACCOUNT_LOOKUP`. */
export function settingPrefix(service: ServiceName): string {
  return service.toUpperCase().replaceAll('-', '_')
}
