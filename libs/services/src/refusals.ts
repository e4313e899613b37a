/**
 * Why services refuse commands: of the reasons in `messages/refusal.proto`, which service refuses for
 * which, and the value that says so. A reason that no service has does not compile. Its meaning for
 * operators is in the table of the administration API, which does not compile while a reason has none.
 */
import type { Refusal, RefusalReason as AnyReason } from '@causeway/protos'

const reasons = {
  /** Changes that two persons make, of all services. */
  approvals: [
    'REQUEST_UNKNOWN',
    // An equal request, or another one of its turn, waits for its decision.
    'REQUEST_PENDING',
    'REQUEST_DECIDED',
    // It has waited too long; too many of the maker wait, or of all.
    'REQUEST_EXPIRED',
    'REQUESTS_FULL',
    'BUSY',
    // What it changes has changed since it was requested.
    'STALE',
    // The one who decides is the maker, or has known a secret of the maker.
    'SAME_PERSON',
    // The maker may no longer make it.
    'PRIVILEGE_MISSING',
    // The id was used before with other content. The same for all services.
    'MODIFIED',
    'INVALID',
  ],
  'account-lookup': [
    'ORACLE_UNKNOWN',
    // Another oracle serves this type and currency.
    'ORACLE_EXISTS',
    // A value out of its bounds; the detail names it. The same for all services.
    'INVALID',
  ],
  'auth-service': [
    'PARTICIPANT_UNKNOWN',
    // The FSP has no key of this id, or has another one.
    'KEY_UNKNOWN',
    'KEY_EXISTS',
    // An operator has revoked the key of the component.
    'KEY_REVOKED',
    // The FSP has no certificate of this serial; another one has it; an operator has revoked it.
    'CERTIFICATE_UNKNOWN',
    'CERTIFICATE_EXISTS',
    'CERTIFICATE_REVOKED',
    // The calling component is another one than the context. The same for config.
    'NOT_OWNER',
    // No such client or operator, or not its secret.
    'SECRET_WRONG',
    // This hub does not issue certificates.
    'NO_CA',
    // This hub has no OpenID provider.
    'NO_OIDC',
    // Too many wrong passwords, or too many log-ins at once.
    'LOCKED',
    'BUSY',
    'TOKEN_INVALID',
    'SESSION_UNKNOWN',
    'OPERATOR_UNKNOWN',
    'OPERATOR_EXISTS',
    'ROLE_UNKNOWN',
    'ROLE_BUILT_IN',
    'PRIVILEGE_UNKNOWN',
    // The operator would grant more than its own roles permit.
    'PRIVILEGE_MISSING',
    // A newer set of the component's privileges is known.
    'SET_OUTDATED',
    // No operator would be left that may manage operators.
    'LAST_ADMINISTRATOR',
    // The challenge was not made here, was used or has expired, or the proof is not valid for it.
    'PROOF_INVALID',
    // The authenticator is registered; the user has too many; no such one is registered.
    'CREDENTIAL_EXISTS',
    'CREDENTIALS_FULL',
    'CREDENTIAL_UNKNOWN',
    // The operator has no security key; the transaction must be authorized with it first.
    'KEY_MISSING',
    'KEY_REQUIRED',
    'CONSENT_UNKNOWN',
    // It is pending or issued, and must be revoked first.
    'CONSENT_IN_FORCE',
    'KEY_DEFINITION_UNKNOWN',
    // The usage or the type of the key does not permit the operation.
    'KEY_USAGE_WRONG',
    // Before its first or after its last moment.
    'KEY_NOT_VALID',
    // Too many PIN blocks were refused.
    'KEY_LOCKED',
    // An HSM holds it, and it never leaves.
    'KEY_NOT_EXPORTABLE',
    // Encrypted with another key or other data, or modified.
    'CIPHERTEXT_INVALID',
    'PIN_BLOCK_INVALID',
    'ADAPTER_UNAVAILABLE',
    'CERTIFICATE_INVALID',
    // No key was ever made for the month; its key is dropped; its retention has not ended.
    'MONTH_UNKNOWN',
    'MONTH_ERASED',
    'MONTH_TOO_YOUNG',
    'INVALID',
  ],
  config: [
    // The calling service is another one than the context.
    'NOT_OWNER',
    // The request is not signed by a component, is too old or came before.
    'SIGNATURE_INVALID',
    // Nothing is registered under this name.
    'CONTEXT_UNKNOWN',
    // A newer schema is registered.
    'VERSION_OUTDATED',
    // The schema, the values or the rules have changed since they were read. The same for quoting.
    'STALE',
    'MODIFIED',
    'INVALID',
  ],
  /** The ledger runs in it. */
  'participant-lifecycle': [
    'PARTICIPANT_UNKNOWN',
    'PARTICIPANT_EXISTS',
    'PARTICIPANT_INACTIVE',
    'NAME_RESERVED',
    'CURRENCY_EXISTS',
    // The scheme does not use the currency, or uses it with fewer decimals.
    'CURRENCY_NOT_USED',
    'DECIMALS_TOO_MANY',
    // The hub lacks an active account that this currency needs.
    'HUB_ACCOUNTS_MISSING',
    // No active settlement model serves the currency.
    'NO_SETTLEMENT_MODEL',
    // No settlement model of positions has this name. The same for settlements.
    'MODEL_UNKNOWN',
    // Only the hub has accounts of this type; the hub is neither activated nor deactivated.
    'NOT_HUB',
    'HUB_UNCHANGEABLE',
    'ACCOUNT_UNKNOWN',
    'ACCOUNT_EXISTS',
    'ACCOUNT_INACTIVE',
    'ACCOUNT_TYPE_WRONG',
    'CURRENCY_MISMATCH',
    // The account has no limit yet, or limit and position were set initially before.
    'LIMIT_UNKNOWN',
    'LIMITS_EXIST',
    'MODIFIED',
    'COVER_SHORT',
    'FUNDS_UNKNOWN',
    'FUNDS_STATE_WRONG',
    'FUNDS_EXPIRED',
    // The scheme has no such state; a participant that is CLOSED stays so.
    'STATE_UNKNOWN',
    'STATE_FINAL',
    'ENDPOINT_UNREACHABLE',
    // The participant has no report of a certification of this id.
    'REPORT_UNKNOWN',
    'INVALID',
  ],
  scheduler: [
    'TIME_PAST',
    'MODIFIED',
    // The calling service is another one than the owner. The same for config.
    'NOT_OWNER',
    'REMINDER_UNKNOWN',
    // It has not failed: its owner alone deletes it, and it is delivered at its time.
    'REMINDER_WAITING',
    'INVALID',
  ],
  quoting: ['STALE', 'INVALID'],
  settlements: [
    'ACCOUNT_TYPE_UNKNOWN',
    // Granularity, interchange and delay do not go together.
    'MODEL_INVALID',
    'MODEL_EXISTS',
    'MODEL_UNKNOWN',
    'MODEL_INACTIVE',
    'MODEL_SETTLES_AT_ONCE',
    'WINDOW_UNKNOWN',
    'WINDOW_NOT_OPEN',
    // No transfer was committed in the window.
    'WINDOW_EMPTY',
    // It holds nothing of the model that is still to be settled.
    'WINDOW_NOT_APPLICABLE',
    'SETTLEMENT_UNKNOWN',
    'STATE_WRONG',
    'REPORT_UNKNOWN',
    // The day of a report has not ended.
    'DAY_NOT_OVER',
    // The ledger lacks an account that the step needs; the step goes on once it exists.
    'LEDGER_REFUSED',
    'MODIFIED',
    'INVALID',
  ],
} as const satisfies Readonly<Record<string, readonly AnyReason[]>>

type Refusing = keyof typeof reasons

type Unused = Exclude<AnyReason, (typeof reasons)[Refusing][number]>
/** Names the reasons that no service has. */
true satisfies [Unused] extends [never] ? true : Unused

/** The reasons of one service, or of all of them. */
export type RefusalReason<Service extends Refusing = Refusing> = (typeof reasons)[Service][number]

/** A command was refused, and nothing has changed. */
export interface Refused<Reason extends RefusalReason = RefusalReason> {
  readonly type: 'REFUSE'
  readonly reason: Reason
  /** A clause for the caller, without a full stop; it never repeats a secret. */
  readonly detail: string
}

export type RefusedBy<Service extends Refusing> = Refused<RefusalReason<Service>>

export function refuse<Reason extends RefusalReason>(
  reason: Reason,
  detail: string,
): Refused<Reason> {
  return { type: 'REFUSE', reason, detail }
}

export function isRefused<Value>(value: Value): value is Extract<Value, Refused> {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'REFUSE'
}

/** As a message carries it. */
export function refusalMessage({ reason, detail }: Refused): Refusal {
  return { reason, detail }
}

export function unknownParticipant(name: string): Refused<'PARTICIPANT_UNKNOWN'> {
  return refuse('PARTICIPANT_UNKNOWN', `there is no participant ${name}`)
}
