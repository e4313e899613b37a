/** Who may change and see a reminder: its owner, and for a failed one an operator. */
import { refuse } from '@causeway/services'
import type { RefusedReminder, Reminder } from './reminder.ts'

/** The administration API: what operators create is its own, and it shows operators all reminders. */
const operators = 'admin'

export interface JudgedReminder {
  readonly reminder: Reminder
  readonly state: 'WAITING' | 'FAILED'
}

/** @param callers the services of the calling process; undefined: all are one process */
export function judgeOwner(
  { id, owner }: Pick<Reminder, 'id' | 'owner'>,
  callers: readonly string[] | undefined,
): RefusedReminder | undefined {
  return callers === undefined || callers.includes(owner)
    ? undefined
    : refuse('NOT_OWNER', `${callers.join()} does not own the reminder ${id}`)
}

/**
 * Whose reminders a caller gets that asks for those of `owner`, or without one for all; undefined: all.
 */
export function seenOwners(
  owner: string | undefined,
  callers: readonly string[] | undefined,
): readonly string[] | undefined {
  const wanted = owner === undefined ? undefined : [owner]
  if (callers === undefined || callers.includes(operators)) return wanted
  return wanted?.filter((each) => callers.includes(each)) ?? callers
}

type FoundReminder<Stored> = RefusedReminder | { readonly type: 'FOUND'; readonly stored: Stored }

/** An operator deletes what has failed, and what operators have created. */
export function judgeRemoval<Stored extends JudgedReminder>(
  stored: Stored | undefined,
  id: string,
): FoundReminder<Stored> {
  if (stored?.reminder.owner === operators) return { type: 'FOUND', stored }
  return judgeRetry(stored, id)
}

export function judgeRetry<Stored extends JudgedReminder>(
  stored: Stored | undefined,
  id: string,
): FoundReminder<Stored> {
  if (stored === undefined) return refuse('REMINDER_UNKNOWN', `there is no reminder ${id}`)
  return stored.state === 'FAILED'
    ? { type: 'FOUND', stored }
    : refuse('REMINDER_WAITING', `the reminder ${id} of ${stored.reminder.owner} has not failed`)
}
