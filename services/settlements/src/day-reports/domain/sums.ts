/** Sums of the slices of a day: one value for each different key. */
import type { Flow, Latency, ThirdPartyFlow } from './facts.ts'

export interface Sums {
  readonly flows: Map<string, Flow>
  readonly latencies: Map<string, Latency>
  readonly thirdParty: Map<string, ThirdPartyFlow>
}

export function openSums(): Sums {
  return { flows: new Map(), latencies: new Map(), thirdParty: new Map() }
}

export function addFlows({ flows }: Sums, added: readonly Flow[]): void {
  for (const flow of added) {
    const { currency, side, fsp, kind, isBulkItem, state, errorCode } = flow
    const key = [currency, side, fsp, kind, isBulkItem, state, errorCode].join(' ')
    const sum = flows.get(key)
    flows.set(key, sum === undefined ? flow : { ...sum, ...plus(sum, flow) })
  }
}

export function addLatencies({ latencies }: Sums, added: readonly Latency[]): void {
  for (const latency of added) {
    const { currency, side, fsp, duration_ms, count } = latency
    const key = [currency, side, fsp, duration_ms].join(' ')
    const sum = latencies.get(key)
    latencies.set(key, sum === undefined ? latency : { ...sum, count: sum.count + count })
  }
}

export function addThirdParty({ thirdParty }: Sums, added: readonly ThirdPartyFlow[]): void {
  for (const flow of added) {
    const key = [flow.currency, flow.payerFsp, flow.payeeFsp].join(' ')
    const sum = thirdParty.get(key)
    thirdParty.set(key, sum === undefined ? flow : { ...sum, ...plus(sum, flow) })
  }
}

interface Sum {
  readonly count: number
  readonly value: bigint
}

function plus(one: Sum, another: Sum): Sum {
  return { count: one.count + another.count, value: one.value + another.value }
}
