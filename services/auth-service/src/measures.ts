/** What the operator's dashboards see of credentials and pings. */
import type { Metrics } from '@causeway/runtime'
import { Counter } from 'prom-client'

export interface Measures {
  token(issued: boolean): void
  certificate(issued: boolean): void
  ping(identity: string): void
  /** `let_in`, or why not. */
  logIn(outcome: string): void
  /** A consent came into a state. */
  consent(state: string): void
  /** `VERIFIED`, or why not. */
  verification(result: string): void
}

const outcomeOf = (issued: boolean) => ({ outcome: issued ? 'issued' : 'refused' })

export function openMeasures(metrics: Metrics): Measures {
  const registers = [metrics]
  const tokens = new Counter({
    name: 'auth_service_tokens_total',
    help: 'tokens of FSPs that were asked for; many refused ones are somebody who guesses',
    labelNames: ['outcome'],
    registers,
  })
  const certificates = new Counter({
    name: 'auth_service_certificates_total',
    help: 'client certificates that were asked for',
    labelNames: ['outcome'],
    registers,
  })
  const pings = new Counter({
    name: 'auth_service_pings_total',
    help: 'pings of FSPs that were stored, by how the FSP identified itself',
    labelNames: ['identity'],
    registers,
  })
  const logIns = new Counter({
    name: 'auth_service_log_ins_total',
    help: 'log-ins of operators; many wrong ones are somebody who guesses',
    labelNames: ['outcome'],
    registers,
  })
  const consents = new Counter({
    name: 'auth_service_consents_total',
    help: 'consents of users by the state that they came into',
    labelNames: ['state'],
    registers,
  })
  const verifications = new Counter({
    name: 'auth_service_verifications_total',
    help: 'signatures of users that DFSPs had verified, by result',
    labelNames: ['result'],
    registers,
  })
  return {
    consent: (state) => consents.inc({ state }),
    verification: (result) => verifications.inc({ result }),
    token: (issued) => tokens.inc(outcomeOf(issued)),
    certificate: (issued) => certificates.inc(outcomeOf(issued)),
    ping: (identity) => pings.inc({ identity }),
    logIn: (outcome) => logIns.inc({ outcome: outcome.toLowerCase() }),
  }
}
