/** Metrics of credentials, log-ins, pings and consents. */
import type { Metrics } from '@causeway/process'
import { Counter } from 'prom-client'

export interface AuthMeasures {
  token(issued: boolean): void
  certificate(issued: boolean): void
  ping(identity: string): void
  /** Of a kind of credential, that soon ends. */
  ending(kind: string): void
  /** `let_in`, or the reason of the refusal. */
  logIn(outcome: string): void
  /** Counts a consent that entered the state. */
  consent(state: string): void
  /** `VERIFIED`, or the reason of the failure. */
  verification(result: string): void
  /** Counts a key or caller that too many refused PIN blocks have locked. */
  pinLock(): void
}

const outcomeOf = (issued: boolean) => ({ outcome: issued ? 'issued' : 'refused' })

export function openMeasures(metrics: Metrics): AuthMeasures {
  const registers = [metrics]
  const tokens = new Counter({
    name: 'auth_service_tokens_total',
    help: 'token requests of FSPs; many refused ones indicate guessing',
    labelNames: ['outcome'],
    registers,
  })
  const certificates = new Counter({
    name: 'auth_service_certificates_total',
    help: 'requests for client certificates',
    labelNames: ['outcome'],
    registers,
  })
  const pings = new Counter({
    name: 'auth_service_pings_total',
    help: 'stored pings of FSPs, by the means of identification',
    labelNames: ['identity'],
    registers,
  })
  const endings = new Counter({
    name: 'auth_service_ending_credentials_total',
    help: 'keys and certificates of FSPs that end soon and that nothing replaces, once per warning',
    labelNames: ['kind'],
    registers,
  })
  const logIns = new Counter({
    name: 'auth_service_log_ins_total',
    help: 'log-ins of operators; many wrong ones indicate guessing',
    labelNames: ['outcome'],
    registers,
  })
  const consents = new Counter({
    name: 'auth_service_consents_total',
    help: 'consents of users by the state that they entered',
    labelNames: ['state'],
    registers,
  })
  const verifications = new Counter({
    name: 'auth_service_verifications_total',
    help: "verifications of users' signatures for DFSPs, by result",
    labelNames: ['result'],
    registers,
  })
  const pinLocks = new Counter({
    name: 'auth_service_pin_translation_locks_total',
    help: 'keys and callers for which too many refused PIN blocks have locked the translation of PINs',
    registers,
  })
  return {
    pinLock: () => pinLocks.inc(),
    consent: (state) => consents.inc({ state }),
    verification: (result) => verifications.inc({ result }),
    token: (issued) => tokens.inc(outcomeOf(issued)),
    certificate: (issued) => certificates.inc(outcomeOf(issued)),
    ping: (identity) => pings.inc({ identity }),
    ending: (kind) => endings.inc({ kind }),
    logIn: (outcome) => logIns.inc({ outcome: outcome.toLowerCase() }),
  }
}
