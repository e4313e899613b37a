/** The parts of a whole payment, how often each comes, and what all of them cost together. */
import type { Report } from '../report.ts'
import type { HttpCosts } from './http.ts'
import type { SignatureCosts } from './signatures.ts'
import { batch, type StorageCosts } from './storage.ts'

/** Microseconds of CPU. */
export interface Costs extends HttpCosts, SignatureCosts, StorageCosts {
  /** Of a POST to a bare node:http server. */
  readonly post_us: number
  /** Of a gRPC call with a batch. */
  readonly call_us: number
}

/** Of each leg: a request and the answer to it, each taken from one FSP and brought to the other. */
const messages_in = 6
const messages_out = 6
/** GET /parties has no body, and so no signature. */
const signed_in = 5
/** To the ledger, reserve and post, each with a batch; that of participants is answered from memory. */
const calls = 2

interface Part {
  readonly name: string
  readonly times: number
  readonly each_us: number
}

/**
 * What a payment cannot do without. Where the hub's batches are not known the larger ones are taken, so
 * the sum is rather too small than too large.
 */
export function partsOf(costs: Costs, { per_transaction: each }: Report): readonly Part[] {
  return [
    { name: 'messages in', times: messages_in, each_us: costs.in_us },
    { name: 'signatures checked', times: signed_in, each_us: costs.verify_us },
    { name: 'callbacks out', times: messages_out, each_us: costs.out_us },
    { name: 'gRPC calls', times: calls / batch, each_us: costs.call_us },
    { name: 'SQL statements', times: each.sql_statements, each_us: costs.statement_us },
    {
      name: 'further rows',
      times: Math.max(each.rows_written - each.sql_statements, 0),
      each_us: costs.row_us,
    },
    { name: 'commits', times: each.commits, each_us: costs.commit_us },
    { name: 'events', times: each.events, each_us: costs.event_us },
  ]
}

export function partsTable(costs: Costs): string {
  return tableOf(
    ['part', 'µs of CPU'],
    [
      ['POST to a bare node:http server', costs.post_us],
      ['message in, mutual TLS', costs.in_us],
      ['message out, mutual TLS', costs.out_us],
      ['RS256 signature checked', costs.verify_us],
      ['RS256 signature made', costs.sign_us],
      [`gRPC call with ${batch} messages, both sides`, costs.call_us],
      ['SQL commit with fsync, both sides', costs.commit_us],
      ['SQL statement that writes one row', costs.statement_us],
      ['further row of 1.2 KB', costs.row_us],
      [`event, ${batch} at once, published and consumed`, costs.event_us],
    ].map(([name, us]) => [String(name), microseconds(Number(us))]),
  )
}

export function sumTable(costs: Costs, report: Report): string {
  const parts = partsOf(costs, report)
  const sum_us = parts.reduce((sum, { times, each_us }) => sum + times * each_us, 0)
  const hub_us = report.cpu_ms_per_transaction.total * 1_000
  const title = `${report.load}, ${report.rate} payments per second`
  return tableOf(
    [title, 'times', 'µs each', 'µs per payment'],
    [
      ...parts.map(({ name, times, each_us }) => [
        name,
        times.toFixed(1),
        microseconds(each_us),
        microseconds(times * each_us),
      ]),
      ['sum of the parts', '', '', microseconds(sum_us)],
      ['the hub with PostgreSQL', '', '', microseconds(hub_us)],
      ['the hub, times the sum', '', '', (hub_us / sum_us).toFixed(2)],
    ],
  )
}

/** Markdown. */
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  const rule = head.map((_, at) => (at === 0 ? '---' : '--:'))
  return [head, rule, ...rows].map(line).join('')
}

function microseconds(us: number): string {
  return us.toFixed(us < 100 ? 1 : 0)
}
