/** Starts the scheduler in reading order and stops it in reverse order. */
import { openOwnKey, signedEntries } from '@causeway/keys/components'
import { ensureMonthlyPartitions, readClock } from '@causeway/postgres'
import { periodically, type Metrics, type Service } from '@causeway/process'
import { schedulerService } from '@causeway/protos'
import { openServiceEgress, schemaOf, type ProcessParts } from '@causeway/runtime'
import { Counter } from 'prom-client'
import { usualBounds, type DeliveryBounds } from './bounds.ts'
import { schedulerHandlers } from './serve.ts'
import type { SchedulerSettings } from './settings.ts'
import { type AttemptOutcome } from './store.ts'
import { deliverDue } from './deliver.ts'

const connections_max = 4
const partitions_every_ms = 3_600_000
const posts_per_origin_max = 8

export const start = async (
  settings: SchedulerSettings,
  parts: ProcessParts,
  { timeout_ms, ...bounds }: DeliveryBounds = usualBounds,
): Promise<Service> => {
  const log = parts.log.child({ service: 'scheduler' })
  const keyFile = settings.SCHEDULER_COMPONENT_KEY_FILE
  const ownKey = await openOwnKey('scheduler', keyFile, { ...parts, log })
  const bus = signedEntries(parts.bus, ownKey)
  const db = await parts.openDatabase({
    url: settings.SCHEDULER_DATABASE_URL,
    ...schemaOf('scheduler'),
    connections_max,
  })
  const ensure = () => ensureMonthlyPartitions(db, ['reminder_history'], new Date())
  await ensure()
  const partitions = periodically(partitions_every_ms, ensure, {
    log,
    name: 'partitions of coming months',
  })
  const egress = openServiceEgress('scheduler', settings, parts, log)
  parts.grpc.serve(schedulerService, schedulerHandlers({ db, bus, egress }))
  parts.health.ready('scheduler database', () => readClock(db).then(() => undefined))
  const http = parts.http.client({
    connections_per_origin_max: posts_per_origin_max,
    timeout_ms,
    egress,
  })
  const deliverParts = {
    db,
    bus,
    http,
    log,
    timeout_ms,
    bounds,
    onOutcome: countOutcomes(parts.metrics),
  }
  const clock = periodically(settings.SCHEDULER_POLL_MS, () => deliverDue(deliverParts), {
    log,
    name: 'delivery of reminders',
  })
  return {
    async stop() {
      await clock.stop()
      await http.close()
      await partitions.stop()
      await ownKey.stop()
      await db.close()
    },
  }
}

function countOutcomes(metrics: Metrics): (outcome: AttemptOutcome) => void {
  const outcomes = new Counter({
    name: 'scheduler_reminders_total',
    help: 'due reminders: delivered, retried, or failed for this time',
    labelNames: ['result'],
    registers: [metrics],
  })
  return ({ step, error }) => {
    const failed = step.type === 'AGAIN' ? 'retried' : 'failed'
    outcomes.inc({ result: error === null ? 'delivered' : failed })
  }
}
