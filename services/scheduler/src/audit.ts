/**
 * The audit entries of reminders: who created, deleted or retried one, and what became of each due
 * time. Each is announced in the transaction of its change.
 */
import type { OutgoingMessage } from '@causeway/bus'
import { auditEntry, type AuditedState } from '@causeway/events'
import type { Reminder } from './domain/reminder.ts'
import type { AttemptOutcome, StoredReminder } from './store.ts'

/** Who changes a reminder: a service or an operator. */
export interface By {
  readonly actor: string
  readonly at: Date
}

export function createdEntry(reminder: Reminder, { actor, at }: By): OutgoingMessage {
  return auditEntry('scheduler', {
    actor,
    action: 'CreateScheduleReminder',
    subject: subjectOf(reminder),
    before: null,
    after: { ...stateOf(reminder), state: 'WAITING' },
    at,
  })
}

export function deletedEntry({ reminder, state }: StoredReminder, by: By): OutgoingMessage {
  return auditEntry('scheduler', {
    actor: by.actor,
    action: 'DeleteScheduleReminder',
    subject: subjectOf(reminder),
    before: { ...stateOf(reminder), state },
    after: null,
    at: by.at,
  })
}

export function retriedEntry({ reminder, state, lastError }: StoredReminder, by: By) {
  return auditEntry('scheduler', {
    actor: by.actor,
    action: 'RetryScheduleReminder',
    subject: subjectOf(reminder),
    before: { state, lastError },
    after: { state: 'WAITING' },
    at: by.at,
  })
}

/** One entry for each due time that was delivered or has failed; none for an attempt in between. */
export function firedEntries(
  outcomes: readonly AttemptOutcome[],
  at: Date,
): readonly OutgoingMessage[] {
  return outcomes.flatMap((outcome) => {
    const { stored, step, error } = outcome
    if (step.type === 'AGAIN') return []
    const dueAt = stored.dueAt.toISOString()
    return [
      auditEntry('scheduler', {
        actor: 'scheduler',
        action: 'FireScheduleReminder',
        subject: subjectOf(stored.reminder),
        before: { state: stored.state, dueAt },
        after: afterStep(outcome),
        at,
        successful: error === null,
        labels: { owner: stored.reminder.owner, dueAt },
      }),
    ]
  })
}

function afterStep({ step, error }: AttemptOutcome): AuditedState | null {
  switch (step.type) {
    case 'GONE':
      return null
    case 'NEXT':
      return { state: 'WAITING', dueAt: step.dueAt.toISOString(), lastError: error }
    default:
      return { state: 'FAILED', lastError: error }
  }
}

function subjectOf({ id }: Reminder): string {
  return `reminders/${id}`
}

/** Without the payload, which is the owner's. */
function stateOf({ owner, schedule, taskType, url, recovery }: Reminder): AuditedState {
  return {
    owner,
    ...(schedule.type === 'CRON' ? { cron: schedule.cron } : { dueAt: schedule.at.toISOString() }),
    taskType,
    ...(url === undefined ? {} : { url: originOf(url) }),
    recovery,
  }
}

/** A path or a query may contain a secret. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : ''
}
