/** The gRPC methods of the scheduler. Each change is recorded in its history in the same transaction. */
import type { Handlers } from '@causeway/grpc'
import type { Database, Transaction } from '@causeway/postgres'
import type { ScheduledReminder, schedulerService, ScheduleReminder } from '@causeway/protos'
import {
  firstTime,
  isSame,
  modified,
  readReminder,
  type Proposal,
  type Refused,
  type Reminder,
} from './domain/reminder.ts'
import {
  addReminder,
  lockReminder,
  readClock,
  appendHistory,
  remindersOf,
  removeReminder,
  type StoredReminder,
} from './store.ts'

const listed_max = 1_000

export function schedulerHandlers(db: Database): Handlers<typeof schedulerService> {
  return {
    CreateScheduleReminder: (message) =>
      db.transaction(async (tx) => {
        const now = await readClock(tx)
        const read = readReminder(proposalOf(message), now)
        return read.type === 'REFUSE' ? refusedWith(read) : create(tx, read.reminder, now)
      }),
    DeleteScheduleReminder: ({ reminderId }) =>
      db.transaction(async (tx) => {
        const removed = await removeReminder(tx, reminderId)
        if (removed === undefined) return { outcome: 'NOT_FOUND' }
        await recordHistory(tx, removed.reminder, 'DELETED', await readClock(tx))
        return { outcome: 'DELETED' }
      }),
    ListScheduleReminders: async ({ owner, state }) => ({
      reminders: (await remindersOf(db, owner, state, listed_max)).map(message),
    }),
  }
}

async function create(tx: Transaction, reminder: Reminder, now: Date) {
  const stored = await lockReminder(tx, reminder.id)
  if (stored !== undefined) return existing(stored, reminder)
  const dueAt = firstTime(reminder, now)
  if ('reason' in dueAt) return refusedWith(dueAt)
  if (await addReminder(tx, reminder, dueAt, now)) {
    await recordHistory(tx, reminder, 'CREATED', now)
    return { outcome: 'CREATED', dueAt: dueAt.toISOString(), refusal: null }
  }
  // Another caller created the same id concurrently.
  const other = await lockReminder(tx, reminder.id)
  if (other === undefined) throw new Error(`${reminder.id} was deleted concurrently`)
  return existing(other, reminder)
}

function existing({ reminder: stored, dueAt }: StoredReminder, reminder: Reminder) {
  return isSame(stored, reminder)
    ? { outcome: 'ALREADY_EXISTS', dueAt: dueAt.toISOString(), refusal: null }
    : refusedWith(modified(reminder.id))
}

function recordHistory(
  tx: Transaction,
  { id, owner }: Reminder,
  what: 'CREATED' | 'DELETED',
  now: Date,
): Promise<void> {
  return appendHistory(tx, [{ id, owner, what, dueAt: null, attempts: 0, detail: null }], now)
}

function refusedWith({ reason, detail }: Refused) {
  return { outcome: '', dueAt: '', refusal: { reason, detail } }
}

function proposalOf({ reminderId: id, ...rest }: ScheduleReminder): Proposal {
  return { id, ...rest }
}

function message(stored: StoredReminder): ScheduledReminder {
  const { schedule, id: reminderId, ...rest } = stored.reminder
  return {
    reminder: {
      ...rest,
      reminderId,
      dueAt: schedule.type === 'ONCE' ? schedule.at.toISOString() : '',
      cron: schedule.type === 'CRON' ? schedule.cron : '',
    },
    state: stored.state,
    dueAt: stored.dueAt.toISOString(),
    attempts: stored.attempts,
    lastError: stored.lastError ?? '',
    createdAt: stored.createdAt.toISOString(),
  }
}
