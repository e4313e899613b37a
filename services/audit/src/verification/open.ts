/**
 * The scheduled verification: a reminder of the scheduler asks for it, the whole log is verified with all
 * its anchors, metrics and an alarm tell the result, and an e-mail to the auditor names the last entry.
 * That e-mail is an anchor as well: its number and hash can be verified later.
 */
import { mailMessage, mailText, onEvents, type DomainEvent } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import { periodically, retrying, type Logger, type Service } from '@causeway/process'
import { schedulerService } from '@causeway/protos'
import type { ProcessParts } from '@causeway/runtime'
import { Gauge } from 'prom-client'
import type { Link } from '../chain.ts'
import { verifyPage, type VerifyParts } from '../serve.ts'
import type { AuditSettings } from '../settings.ts'
import {
  askVerification,
  finishVerification,
  newestVerification,
  unfinished,
  type VerificationRequest,
} from './store.ts'

const owner = 'audit'
const reminderId = 'audit/verify'
const look_every_ms = 2_000
const page_max = 5_000
const faults_max = 100
const faults_in_mail_max = 20

export interface VerificationParts extends VerifyParts {
  readonly db: Database
}

export async function openVerification(
  settings: AuditSettings,
  { bus, grpc, metrics, log }: Pick<ProcessParts, 'bus' | 'grpc' | 'metrics' | 'log'>,
  parts: VerificationParts,
): Promise<Service> {
  const stopping = new AbortController()
  const { signal } = stopping
  const scheduler = grpc.client(schedulerService, 'scheduler')
  const registering = retrying(() => register(scheduler, settings.AUDIT_VERIFY_CRON), {
    log,
    what: 'registering the verification of the audit log',
    signal,
    everyFailure: true,
  }).catch(() => undefined) // stopped before it was registered
  const ask = async (events: readonly DomainEvent<'ScheduleReminderDue'>[]) => {
    for (const event of events.filter(isMine)) {
      await askVerification(parts.db, { eventId: event.id, askedAt: new Date(event.time) })
    }
  }
  const subscribed = await onEvents(bus, 'audit.reminders', ['ScheduleReminderDue'], ask)
  const tell = resultGauges(metrics)
  const look = async () => {
    const asked = await unfinished(parts.db)
    if (asked !== undefined) await verifyAsked(asked, parts, { bus, log, settings, signal })
    const newest = await newestVerification(parts.db)
    if (newest !== undefined) tell(newest)
  }
  const work = periodically(look_every_ms, look, { log, name: 'verification of the audit log' })
  return {
    async stop() {
      stopping.abort()
      await subscribed.stop()
      await work.stop()
      await registering
    },
  }
}

function isMine({ payload }: DomainEvent<'ScheduleReminderDue'>): boolean {
  return payload.owner === owner && payload.reminderId === reminderId
}

type Scheduler = Pick<
  Calls<typeof schedulerService>,
  'CreateScheduleReminder' | 'DeleteScheduleReminder'
>

/** Another time may have been set before; empty: never. */
async function register(scheduler: Scheduler, cron: string): Promise<void> {
  const task = { payload: '', taskType: 'EVENT', recovery: 'RETRY' } as const
  const create = () => scheduler.CreateScheduleReminder({ reminderId, owner, cron, ...task })
  if (cron !== '' && !(await create()).refusal) return
  await scheduler.DeleteScheduleReminder({ reminderId, owner })
  if (cron === '') return
  const { refusal } = await create()
  if (refusal) throw new Error(`AUDIT_VERIFY_CRON was refused: ${refusal.detail}`)
}

interface Telling extends Pick<ProcessParts, 'bus'> {
  readonly log: Logger
  readonly settings: Pick<AuditSettings, 'AUDIT_MAIL_TO' | 'HUB_NAME'>
  readonly signal: AbortSignal
}

async function verifyAsked(
  asked: VerificationRequest,
  parts: VerificationParts,
  { bus, log, settings, signal }: Telling,
): Promise<void> {
  const result = await verifyAll(parts, signal)
  if (result === undefined) return
  const { faults, checked } = result
  await parts.db.transaction(async (tx) => {
    if (!(await finishVerification(tx, asked, new Date(), result))) return
    const { AUDIT_MAIL_TO: address, HUB_NAME: hub } = settings
    if (address !== undefined) bus.announce(tx, [mailOf(asked, result, { address, hub })])
  })
  if (faults.length > 0) log.error({ faults }, 'ALARM the audit log does not verify')
  else log.info({ checked: String(checked) }, 'the audit log is verified')
}

export interface VerifiedLog {
  readonly checked: bigint
  readonly last: Link
  readonly faults: readonly string[]
}

/** Undefined: stopped before the end. */
async function verifyAll(
  parts: VerificationParts,
  signal: AbortSignal,
): Promise<VerifiedLog | undefined> {
  const faults: string[] = []
  let checked = 0n
  let after = 0n
  while (!signal.aborted) {
    const page = { after, limit: page_max, noted: undefined }
    const report = await parts.db.transaction((tx) => verifyPage(tx, page, parts), {
      isolation: 'repeatable read',
      readOnly: true,
    })
    faults.push(...report.faults)
    checked += BigInt(report.checked)
    after = BigInt(report.lastN)
    if (report.isEnd || faults.length >= faults_max) {
      return { checked, last: report.last, faults: faults.slice(0, faults_max) }
    }
  }
  return undefined
}

function mailOf(
  { eventId, askedAt }: VerificationRequest,
  { checked, last, faults }: VerifiedLog,
  { address, hub: fspId }: { readonly address: string; readonly hub: string },
) {
  const number = String(last.n)
  const hash = last.hash.toString('hex')
  const verdict = faults.length === 0 ? 'verified' : `${faults.length} faults`
  const text = mailText([
    ['Hub', fspId],
    ['Result', verdict],
    ['Entries', String(checked)],
    ['Last entry', number],
    ['Hash', hash],
    ...faults.slice(0, faults_in_mail_max).map((fault) => ['Fault', fault] as const),
    ['To check later', `POST /audit/verify?number=${number}&hash=${hash}`],
  ])
  const cause = {
    id: eventId,
    name: 'ScheduleReminderDue' as const,
    time: askedAt.toISOString(),
    traceparent: undefined,
  }
  const subject = `Audit log of ${fspId}: ${verdict}`
  return mailMessage(
    'audit',
    cause,
    'audit-log',
    { subject, text },
    { name: 'auditor', address, fspId },
  )
}

function resultGauges(metrics: ProcessParts['metrics']) {
  const faults = new Gauge({
    name: 'audit_verification_faults',
    help: 'faults that the last scheduled verification of the audit log found',
    registers: [metrics],
  })
  const at = new Gauge({
    name: 'audit_verified_timestamp_seconds',
    help: 'when the audit log was last verified by schedule',
    registers: [metrics],
  })
  return (newest: { readonly finishedAt: Date; readonly faults: number }) => {
    faults.set(newest.faults)
    at.set(newest.finishedAt.getTime() / 1_000)
  }
}
