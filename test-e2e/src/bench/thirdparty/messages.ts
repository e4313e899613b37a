/** The messages between the bench and the process of DFSP, PISP and payee FSP. */
import type { Tls } from '../messages.ts'
import type { ThirdPartyLeg } from '../options.ts'
import type { Quantiles } from '../quantiles.ts'

/** In this order wherever they are counted. */
export const roles = ['dfsp', 'pisp', 'payee'] as const

export interface Open {
  readonly type: 'OPEN'
  /** Several edges have commas between them. */
  readonly hubUrl: string
  /** By role; undefined: plain http in both directions. */
  readonly tls: Tls | undefined
  readonly signed: 'RS256' | 'ES256' | undefined
}

export interface Run {
  readonly type: 'RUN'
  readonly leg: ThirdPartyLeg
  readonly count: number
  /** Begun per second, whether or not earlier ones have finished. */
  readonly rate: number
}

/** `LINK` makes the consents that payments need. */
export type Command = Open | { readonly type: 'LINK' } | Run

export type Answer =
  | { readonly type: 'OPENED'; readonly participants: readonly Opened[] }
  | { readonly type: 'LINKED' }
  | { readonly type: 'DONE'; readonly result: Result }
  | { readonly type: 'BROKEN'; readonly why: string }

export interface Opened {
  readonly url: string
  /** PEM; undefined: it does not sign. */
  readonly publicKey: string | undefined
}

export interface Result {
  readonly done: number
  /** The reasons of failures, with the number of each. */
  readonly failures: Readonly<Record<string, number>>
  /** From the scheduled start to the end at the PISP. */
  readonly latency_ms: Quantiles
  /** From the first scheduled start to the last end. */
  readonly window_ms: number
}
