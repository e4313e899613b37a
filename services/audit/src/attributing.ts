/** Attributes entries to their sources while audit runs: batches as they come, held entries again. */
import type { Subscribed } from '@causeway/bus'
import { onEvents } from '@causeway/events'
import { periodically, type Logger, type Metrics, type Service } from '@causeway/process'
import type { ProcessParts } from '@causeway/runtime'
import { Counter, Gauge } from 'prom-client'
import { openHandle } from './handle.ts'
import { judgeHeld } from './quarantine/held.ts'
import type { AttributionParts, Quarantined } from './quarantine/set-aside.ts'
import { countUnattributed } from './quarantine/store.ts'
import type { NewRecord } from './recording.ts'

const held_every_ms = 2_000

export async function openAttribution(
  { bus, metrics, log }: Pick<ProcessParts, 'bus' | 'metrics' | 'log'>,
  given: Omit<AttributionParts, 'onRecorded' | 'onQuarantined'>,
): Promise<Service> {
  const parts: AttributionParts = {
    ...given,
    onRecorded: countRecorded(metrics),
    onQuarantined: alarmOf(metrics, log),
  }
  const quarantined = new Gauge({
    name: 'audit_quarantined_entries',
    help: 'audit entries that are quarantined until an operator decides',
    registers: [metrics],
  })
  const subscribed: Subscribed = await onEvents(
    bus,
    'audit',
    ['/audit-log-write'],
    openHandle(parts),
  )
  const upkeep = async () => {
    const counts = await countUnattributed(parts.db)
    quarantined.set(counts.quarantined)
    if (counts.held > 0) await judgeHeld(parts)
  }
  const again = periodically(held_every_ms, upkeep, { log, name: 'judging of held audit entries' })
  return {
    async stop() {
      await subscribed.stop()
      await again.stop()
    },
  }
}

function countRecorded(metrics: Metrics) {
  const recorded = new Counter({
    name: 'audit_entries_total',
    help: 'audit entries that were recorded, by the service that published them and by action',
    labelNames: ['source', 'action', 'outcome', 'provenance'],
    registers: [metrics],
  })
  return (records: readonly NewRecord[]) => {
    for (const { entry, provenance } of records) {
      const outcome = entry.actionSuccessful ? 'done' : 'refused'
      recorded.inc({ source: entry.sourceBcName, action: entry.actionType, outcome, provenance })
    }
  }
}

function alarmOf(metrics: Metrics, log: Logger) {
  const total = new Counter({
    name: 'audit_quarantined_total',
    help: 'audit entries that were quarantined, by reason',
    labelNames: ['reason'],
    registers: [metrics],
  })
  return (entries: readonly Quarantined[]) => {
    for (const { id, source, reason } of entries) {
      total.inc({ reason })
      log.error({ id, source, reason }, 'ALARM an audit entry is quarantined')
    }
  }
}
