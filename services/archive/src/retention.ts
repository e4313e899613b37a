/**
 * How long months stay in the database, by table, and which months of a table are due to be archived:
 * RETENTION_MONTHS for all tables, RETENTION_MONTHS_BY_TABLE for some: `transfers.messages=6`.
 */
import { listIn, StartError } from '@causeway/process'
import type { Client } from 'pg'
import type { MonthTable } from './catalogue.ts'
import { nameOf } from './manifest.ts'
import { isOlder, monthIn, type Month } from './month.ts'

export interface Retention {
  readonly months: number
  readonly byTable: ReadonlyMap<string, number>
}

const usual_months = 3
const months_min = 2
const months_max = 240

export function retentionIn(environment: Readonly<Record<string, string | undefined>>): Retention {
  const all = environment['RETENTION_MONTHS'] ?? ''
  const some = environment['RETENTION_MONTHS_BY_TABLE'] ?? ''
  const months = all === '' ? usual_months : monthsOf('RETENTION_MONTHS', all)
  const pairs = listIn(some).map((pair) => pair.split('='))
  return {
    months,
    byTable: new Map(
      pairs.map(([table = '', text = '']) => [
        table.trim(),
        monthsOf('RETENTION_MONTHS_BY_TABLE', text),
      ]),
    ),
  }
}

/** Throws StartError for a table that does not exist: a retention of it would silently not apply. */
export function requireKnown({ byTable }: Retention, tables: readonly MonthTable[]): void {
  const known = new Set(tables.map(nameOf))
  const unknown = [...byTable.keys()].filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new StartError(`RETENTION_MONTHS_BY_TABLE: no table of months is ${unknown.join(', ')}.`)
  }
}

/** The months of the table that are in the database for longer than their retention, oldest first. */
export async function dueMonths(
  client: Client,
  table: MonthTable,
  { months, byTable }: Retention,
  now: Date,
): Promise<readonly Month[]> {
  const kept = byTable.get(nameOf(table)) ?? months
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relkind = 'r' and c.relname ~ ('^' || $2 || '_[0-9]{4}_[0-9]{2}$')
      order by 1`,
    [table.schema, table.table],
  )
  return rows
    .map(({ name }) => monthIn(name.slice(table.table.length + 1).replace('_', '-')))
    .filter((month) => month !== undefined)
    .filter((month) => isOlder(month, kept, now))
}

function monthsOf(setting: string, text: string): number {
  const months = Number(text)
  if (/^\d+$/.test(text.trim()) && months >= months_min && months <= months_max) return months
  throw new StartError(`${setting}: ${text} is not ${months_min} to ${months_max} months.`)
}
