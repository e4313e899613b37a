/** The log store: lines come by event or call, are found by filters, and are deleted when old. */
import { randomUUID } from 'node:crypto'
import { logLevels, onEvents, type DomainEvent, type Payload } from '@causeway/events'
import type { Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import { periodically, type Service } from '@causeway/process'
import type { LogLine, LogQuery, logStoreService } from '@causeway/protos'
import type { ProcessParts } from '@causeway/runtime'
import { Counter } from 'prom-client'
import {
  deleteOldLines,
  describeLog,
  findLogLines,
  insertLogLines,
  type LineRow,
  type LogFilter,
  type NewLine,
} from './store.ts'

export interface LogBounds {
  readonly retention_ms: number
  readonly lines_max: number
}

const delete_every_ms = 600_000
const delete_slice = 10_000
const lines_per_page_max = 500
const lines_per_batch_max = 500

export async function openLogStore(
  { bus, metrics, log }: Pick<ProcessParts, 'bus' | 'metrics' | 'log'>,
  db: Database,
  { retention_ms, lines_max }: LogBounds,
): Promise<Service> {
  const stored = new Counter({
    name: 'audit_log_lines_total',
    help: 'lines in the log store, by the component that logged them',
    labelNames: ['source', 'level'],
    registers: [metrics],
  })
  const handle = async (events: readonly DomainEvent<'/log-write'>[]) => {
    const lines = events.map(({ id, payload }) => newLine(id, payload))
    await insertLogLines(db, lines, new Date())
    for (const { payload } of events) {
      stored.inc({ source: payload.sourceBcName, level: payload.level })
    }
  }
  const subscribed = await onEvents(bus, 'audit.logs', ['/log-write'], handle, {
    batch_max: lines_per_batch_max,
  })
  const deleteOld = async () => {
    const before = new Date(Date.now() - retention_ms)
    for (let deleted = delete_slice; deleted === delete_slice;) {
      deleted = await deleteOldLines(db, before, lines_max, delete_slice)
    }
  }
  const deletion = periodically(delete_every_ms, deleteOld, {
    log,
    name: 'deletion of old lines of the log store',
  })
  return {
    async stop() {
      await subscribed.stop()
      await deletion.stop()
    },
  }
}

export function serveLogStore(db: Database): Handlers<typeof logStoreService> {
  return {
    async WriteLog({ lines }) {
      const now = new Date()
      const all = lines.map((line) => newLine(randomUUID(), line))
      return { stored: all.length === 0 ? 0 : await insertLogLines(db, all, now) }
    },
    async ReadLog(query) {
      const rows = await findLogLines(db, filterOf(query))
      return { lines: rows.map((row) => ({ id: row.id, line: lineMessage(row) })) }
    },
    async DescribeLog() {
      const { lines, oldestAt, newestAt, dropped } = await describeLog(db)
      return {
        lines,
        dropped,
        ...(oldestAt === null ? {} : { oldestAt: oldestAt.toISOString() }),
        ...(newestAt === null ? {} : { newestAt: newestAt.toISOString() }),
      }
    },
  }
}

function newLine(lineId: string, line: Payload<'/log-write'> | LogLine): NewLine {
  const loggedAt = new Date(line.timestamp)
  return {
    lineId,
    loggedAt: Number.isNaN(loggedAt.getTime()) ? new Date() : loggedAt,
    severity: severityOf(line.level),
    source: line.sourceBcName,
    appName: line.appName,
    appVersion: line.appVersion,
    component: line.component ?? null,
    message: line.message,
    meta: line.meta ?? {},
  }
}

/** An unknown level counts as an error. */
function severityOf(level: string): number {
  const severity = (logLevels as readonly string[]).indexOf(level)
  return severity < 0 ? logLevels.indexOf('error') : severity
}

function filterOf(query: LogQuery): LogFilter {
  const timeOf = (text: string | undefined) => (text === undefined ? null : new Date(text))
  return {
    source: query.sourceBcName ?? null,
    severityMin: query.level === undefined ? 0 : severityOf(query.level),
    component: query.component ?? null,
    from: timeOf(query.from),
    to: timeOf(query.to),
    text: query.text ?? null,
    beforeId: query.beforeId ?? null,
    limit: Math.min(Math.max(query.limit, 1), lines_per_page_max),
  }
}

function lineMessage(row: LineRow): LogLine {
  const { loggedAt, severity, source, appName, appVersion, component, message, meta } = row
  return {
    level: logLevels[severity] ?? 'error',
    timestamp: loggedAt.toISOString(),
    sourceBcName: source,
    appName,
    appVersion,
    ...(component === null ? {} : { component }),
    message,
    meta: { ...meta },
  }
}
