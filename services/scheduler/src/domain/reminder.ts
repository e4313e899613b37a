/** A reminder, and the rules for creating one. */
import type { ScheduleReminderRecovery, ScheduleReminderTaskType } from '@causeway/protos'
import { refuse, type RefusedBy } from '@causeway/services'
import { cronFault, nextTime } from './cron.ts'

export type TaskType = ScheduleReminderTaskType
export type Recovery = ScheduleReminderRecovery

export type Schedule =
  | { readonly type: 'ONCE'; readonly at: Date }
  | { readonly type: 'CRON'; readonly cron: string }

export interface Reminder {
  readonly id: string
  readonly owner: string
  readonly schedule: Schedule
  readonly payload: string
  readonly taskType: TaskType
  /** Of HTTP_POST alone. */
  readonly url: string | undefined
  readonly recovery: Recovery
}

/** A reminder as requested, not yet validated. */
export interface Proposal {
  readonly id: string
  readonly owner: string
  readonly dueAt: string | undefined
  readonly cron: string | undefined
  readonly payload: string
  readonly taskType: TaskType
  readonly url: string | undefined
  readonly recovery: Recovery
}

export type RefusedReminder = RefusedBy<'scheduler'>

export type Read = RefusedReminder | { readonly type: 'READ'; readonly reminder: Reminder }

const id_length_max = 128
const payload_length_max = 16_384
const url_length_max = 2_048
const cron_length_max = 200
const ownerPattern = /^[a-z][a-z-]{1,39}$/

/** Validates a proposal. `firstTime` checks its time, and only when the reminder is new. */
export function readReminder(proposal: Proposal, now: Date): Read {
  const { id, owner, payload, taskType, url, recovery } = proposal
  if (id === '' || id.length > id_length_max) {
    return invalid(`reminderId must have 1 to ${id_length_max} characters`)
  }
  if (!ownerPattern.test(owner)) return invalid("owner must be the name of a service's folder")
  if (payload.length > payload_length_max) {
    return invalid(`payload must have at most ${payload_length_max} characters`)
  }
  if (taskType === 'HTTP_POST' ? !isHttpUrl(url ?? '') : url !== undefined) {
    return invalid('url must be an http or https URL for HTTP_POST, and absent for EVENT')
  }
  const schedule = scheduleOf(proposal, now)
  if ('reason' in schedule) return schedule
  return { type: 'READ', reminder: { id, owner, schedule, payload, taskType, url, recovery } }
}

/** The first due time of a new reminder. */
export function firstTime({ schedule }: Reminder, now: Date): Date | RefusedReminder {
  if (schedule.type === 'CRON') {
    return nextTime(schedule.cron, now) ?? invalid(`${schedule.cron} never matches a time`)
  }
  return schedule.at > now
    ? schedule.at
    : refuse('TIME_PAST', `${schedule.at.toISOString()} is in the past`)
}

export function isSame(one: Reminder, another: Reminder): boolean {
  return (
    one.owner === another.owner &&
    one.payload === another.payload &&
    one.taskType === another.taskType &&
    one.url === another.url &&
    one.recovery === another.recovery &&
    isSameSchedule(one.schedule, another.schedule)
  )
}

function isSameSchedule(one: Schedule, another: Schedule): boolean {
  return one.type === 'CRON'
    ? another.type === 'CRON' && one.cron === another.cron
    : another.type === 'ONCE' && one.at.getTime() === another.at.getTime()
}

export function modified(id: string): RefusedReminder {
  return refuse('MODIFIED', `reminder ${id} already exists with other content`)
}

function scheduleOf({ dueAt, cron }: Proposal, now: Date): Schedule | RefusedReminder {
  if ((dueAt === undefined) === (cron === undefined))
    return invalid('exactly one of dueAt and cron must be given')
  if (cron !== undefined) {
    const fault =
      cron.length > cron_length_max
        ? `cron must have at most ${cron_length_max} characters`
        : cronFault(cron, now)
    return fault === undefined ? { type: 'CRON', cron } : invalid(fault)
  }
  const at = new Date(dueAt ?? '')
  return Number.isNaN(at.getTime())
    ? invalid('dueAt must be an ISO 8601 time')
    : { type: 'ONCE', at }
}

function isHttpUrl(text: string): boolean {
  if (text.length > url_length_max || !URL.canParse(text)) return false
  return ['http:', 'https:'].includes(new URL(text).protocol)
}

function invalid(detail: string): RefusedReminder {
  return refuse('INVALID', detail)
}
