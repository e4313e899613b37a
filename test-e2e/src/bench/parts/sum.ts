/** The parts of a whole payment, how often each occurs, and their total cost. */
import type { Report } from '../report.ts'
import type { HttpCosts } from './http.ts'
import { batch, type StorageCosts } from './storage.ts'

/** The parts of a payment, in microseconds of CPU. */
export interface Costs extends HttpCosts, StorageCosts {
  readonly verify_us: number
}

/** Parts that a payment in one process does not have. */
export interface FurtherCosts {
  /** A POST to a bare node:http server. */
  readonly post_us: number
  readonly sign_us: number
  /** A gRPC call with a batch: within one process services call each other directly. */
  readonly call_us: number
}

/** How often each part occurs in a payment. */
export interface Times {
  /** Messages in, and as many out. */
  readonly messages: number
  readonly signatures: number
  readonly statements: number
  readonly rows: number
  readonly commits: number
  readonly events: number
}

/** Per leg: a request and its answer, each received from one FSP and delivered to the other. */
const messages = 6
/** GET /parties has no body, and so no signature. */
const signatures = 5

/**
 * The minimum for a payment. Where the hub's batch sizes are not known the larger ones are assumed,
 * so the sum is an underestimate.
 */
export function timesOf({ per_transaction: each }: Report): Times {
  return {
    messages,
    signatures,
    statements: each.sql_statements,
    rows: Math.max(each.rows_written - each.sql_statements, 0),
    commits: each.commits,
    events: each.events,
  }
}

/** Microseconds of each part in a busy loop. */
export function partsTable(costs: Costs & FurtherCosts): string {
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

/**
 * @param loop the cost of each part in a busy loop
 * @param pace the cost of each part at the rate of this run
 */
export function sumTable(loop: Costs, pace: Costs, report: Report): string {
  const times = timesOf(report)
  const rows = [
    { name: 'messages in', times: times.messages, cost: 'in_us' },
    { name: 'signatures checked', times: times.signatures, cost: 'verify_us' },
    { name: 'callbacks out', times: times.messages, cost: 'out_us' },
    { name: 'SQL statements', times: times.statements, cost: 'statement_us' },
    { name: 'further rows', times: times.rows, cost: 'row_us' },
    { name: 'commits', times: times.commits, cost: 'commit_us' },
    { name: 'events', times: times.events, cost: 'event_us' },
  ] as const
  const both = [loop, pace]
  const sums_us = both.map((costs) =>
    rows.reduce((sum, row) => sum + row.times * costs[row.cost], 0),
  )
  const hub_us = report.cpu_ms_per_transaction.total * 1_000
  const title = `${report.load}, ${report.rate} payments per second`
  const each = ['µs each in a loop', 'µs each at this pace']
  const all = ['µs per payment in a loop', 'µs per payment at this pace']
  return tableOf(
    [title, 'times', ...each, ...all],
    [
      ...rows.map((row) => [
        row.name,
        row.times.toFixed(1),
        ...both.map((costs) => microseconds(costs[row.cost])),
        ...both.map((costs) => microseconds(row.times * costs[row.cost])),
      ]),
      ['sum of the parts', '', '', '', ...sums_us.map(microseconds)],
      ['the hub with PostgreSQL', '', '', '', ...both.map(() => microseconds(hub_us))],
      ['the hub, times the sum', '', '', '', ...sums_us.map((us) => (hub_us / us).toFixed(2))],
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
