/**
 * The gRPC methods of the scheduler. Each change is recorded in its history and in the audit log in
 * the same transaction. A service changes and sees its own reminders alone.
 */
import { readClock } from '@causeway/postgres'
import type { EventBus } from '@causeway/bus'
import type { Handlers } from '@causeway/grpc'
import type { Egress } from '@causeway/http'
import type { Database, Transaction } from '@causeway/postgres'
import {
  present,
  type ReminderAnswer,
  type ScheduledReminder,
  type schedulerService,
  type ScheduleReminder,
} from '@causeway/protos'
import { refuse } from '@causeway/services'
import { createdEntry, deletedEntry, retriedEntry, type By } from './audit.ts'
import { judgeOwner, judgeRemoval, judgeRetry, seenOwners } from './domain/access.ts'
import {
  firstTime,
  isSame,
  modified,
  readReminder,
  type Proposal,
  type RefusedReminder,
  type Reminder,
} from './domain/reminder.ts'
import {
  addReminder,
  appendHistory,
  lockReminder,
  remindersOf,
  removeReminder,
  retryReminder,
  type HistoryEntry,
  type StoredReminder,
} from './store.ts'

const listed_max = 1_000

export interface SchedulerParts {
  readonly db: Database
  readonly bus: EventBus
  /** Where reminders may be posted to. */
  readonly egress: Egress
}

type SchedulerHandlers = Handlers<typeof schedulerService>

export function schedulerHandlers(parts: SchedulerParts): SchedulerHandlers {
  return { ...ofOwners(parts), ...ofOperators(parts) }
}

function ofOwners({
  db,
  bus,
  egress,
}: SchedulerParts): Omit<SchedulerHandlers, 'RemoveReminder' | 'RetryReminder'> {
  return {
    CreateScheduleReminder: async (message, { callers }) => {
      const denied = await deniedUrl(egress, message)
      if (denied !== undefined) return refusedWith(denied)
      return db.transaction(async (tx) => {
        const now = await readClock(tx)
        const read = readReminder(proposalOf(message), now)
        if (read.type === 'REFUSE') return refusedWith(read)
        const { reminder } = read
        const refused = judgeOwner(reminder, callers)
        if (refused !== undefined) return refusedWith(refused)
        const answer = await create(tx, reminder, now)
        if (answer.outcome === 'CREATED') {
          const by = { actor: message.actor ?? reminder.owner, at: now }
          await record(tx, reminder, 'CREATED', now)
          bus.announce(tx, [createdEntry(reminder, by)])
        }
        return answer
      })
    },
    DeleteScheduleReminder: ({ reminderId, owner }, { callers = [owner] }) =>
      db.transaction(async (tx) => {
        const stored = await lockReminder(tx, reminderId)
        if (stored === undefined) return { outcome: 'NOT_FOUND', refusal: null }
        const refused = judgeOwner(stored.reminder, callers)
        if (refused !== undefined) return { refusal: refusalOf(refused) }
        await remove(bus, tx, stored, {
          actor: stored.reminder.owner,
          at: await readClock(tx),
        })
        return { outcome: 'DELETED', refusal: null }
      }),
    ListScheduleReminders: async ({ owner, state }, { callers }) => {
      const owners = seenOwners(owner, callers)
      const reminders = await remindersOf(db, { owners, state }, listed_max)
      return { reminders: reminders.map(message) }
    },
  }
}

/** Text that is no URL is refused by the rules of reminders. */
async function deniedUrl(
  egress: Egress,
  { taskType, url }: Pick<ScheduleReminder, 'taskType' | 'url'>,
): Promise<RefusedReminder | undefined> {
  if (taskType !== 'HTTP_POST' || url === undefined || !URL.canParse(url)) return undefined
  const fault = await egress.faultNow(new URL(url))
  return fault === undefined ? undefined : refuse('INVALID', `url: ${fault}`)
}

function ofOperators({
  db,
  bus,
}: Omit<SchedulerParts, 'egress'>): Pick<SchedulerHandlers, 'RemoveReminder' | 'RetryReminder'> {
  return {
    RemoveReminder: ({ reminderId, actor }) =>
      db.transaction(async (tx) => {
        const stored = await lockReminder(tx, reminderId)
        const judged = judgeRemoval(stored, reminderId)
        if (judged.type === 'REFUSE') return refusedWith(judged)
        await remove(bus, tx, judged.stored, { actor, at: await readClock(tx) })
        return { outcome: 'DELETED', refusal: null }
      }),
    RetryReminder: ({ reminderId, actor }) =>
      db.transaction(async (tx) => {
        const judged = judgeRetry(await lockReminder(tx, reminderId), reminderId)
        if (judged.type === 'REFUSE') return refusedWith(judged)
        const { reminder, dueAt } = judged.stored
        const now = await readClock(tx)
        await retryReminder(tx, reminder.id, now)
        await record(tx, reminder, 'RETRIED', now)
        bus.announce(tx, [retriedEntry(judged.stored, { actor, at: now })])
        return { outcome: 'WAITING', dueAt: dueAt.toISOString(), refusal: null }
      }),
  }
}

async function create(tx: Transaction, reminder: Reminder, now: Date): Promise<ReminderAnswer> {
  const stored = await lockReminder(tx, reminder.id)
  if (stored !== undefined) return existing(stored, reminder)
  const dueAt = firstTime(reminder, now)
  if ('reason' in dueAt) return refusedWith(dueAt)
  if (await addReminder(tx, reminder, dueAt, now)) {
    return { outcome: 'CREATED', dueAt: dueAt.toISOString(), refusal: null }
  }
  // Another caller created the same id concurrently.
  const other = await lockReminder(tx, reminder.id)
  if (other === undefined) throw new Error(`${reminder.id} was deleted concurrently`)
  return existing(other, reminder)
}

function existing({ reminder: stored, dueAt }: StoredReminder, reminder: Reminder): ReminderAnswer {
  return isSame(stored, reminder)
    ? { outcome: 'ALREADY_EXISTS', dueAt: dueAt.toISOString(), refusal: null }
    : refusedWith(modified(reminder.id))
}

async function remove(
  bus: EventBus,
  tx: Transaction,
  stored: StoredReminder,
  by: By,
): Promise<void> {
  await removeReminder(tx, stored.reminder.id)
  await record(tx, stored.reminder, 'DELETED', by.at)
  bus.announce(tx, [deletedEntry(stored, by)])
}

function record(
  tx: Transaction,
  { id, owner }: Reminder,
  what: HistoryEntry['what'],
  now: Date,
): Promise<void> {
  return appendHistory(tx, [{ id, owner, what, dueAt: null, attempts: 0, detail: null }], now)
}

function refusalOf({ reason, detail }: RefusedReminder) {
  return { reason, detail }
}

function refusedWith(refused: RefusedReminder) {
  return { refusal: refusalOf(refused) }
}

function proposalOf(reminder: ScheduleReminder): Proposal {
  const { reminderId: id, owner, dueAt, cron, payload, taskType, url, recovery } = reminder
  return { id, owner, dueAt, cron, payload, taskType, url, recovery }
}

function message(stored: StoredReminder): ScheduledReminder {
  const { schedule, id: reminderId, url, ...rest } = stored.reminder
  return {
    reminder: {
      ...rest,
      reminderId,
      ...(schedule.type === 'ONCE'
        ? { dueAt: schedule.at.toISOString() }
        : { cron: schedule.cron }),
      ...present({ url }),
    },
    state: stored.state,
    dueAt: stored.dueAt.toISOString(),
    attempts: stored.attempts,
    createdAt: stored.createdAt.toISOString(),
    ...present({ lastError: stored.lastError }),
  }
}
