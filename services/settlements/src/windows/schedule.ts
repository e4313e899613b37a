/**
 * Closing windows on a schedule: the scheduler tells when the time has come, at least once, and the
 * window that is open then is closed once for that time. A window without transfers stays open.
 */
import type { DomainEvent } from '@causeway/events'
import type { schedulerService } from '@causeway/protos'
import { retrying, type Calls } from '@causeway/runtime'
import { closeWindow, type ClosingParts } from './close.ts'
import { openWindowId, windowOfRequest } from './store.ts'

export const reminderId = 'settlements/close-window'
const owner = 'settlements'

export interface ScheduleParts extends ClosingParts {
  readonly scheduler: Pick<
    Calls<typeof schedulerService>,
    'CreateScheduleReminder' | 'DeleteScheduleReminder'
  >
  /** When windows are closed, in UTC; empty: on request alone. */
  readonly cron: string
  readonly onClosed: () => Promise<void>
}

/** Registers the schedule; one of another time is replaced. */
export async function keepSchedule(parts: ScheduleParts): Promise<void> {
  const { scheduler, cron, log, signal } = parts
  if (cron === '') return
  const reminder = {
    reminderId,
    owner,
    dueAt: '',
    cron,
    payload: '',
    taskType: 'EVENT',
    url: '',
    recovery: 'RETRY',
  }
  const create = () => scheduler.CreateScheduleReminder(reminder)
  const ask = { log, what: 'register when windows are closed', signal }
  let { refusal } = await retrying(create, ask)
  if (refusal?.reason === 'MODIFIED') {
    await retrying(() => scheduler.DeleteScheduleReminder({ reminderId }), ask)
    refusal = (await retrying(create, ask)).refusal
  }
  if (refusal) log.error({ cron, refusal }, 'ALARM SETTLEMENTS_WINDOW_CRON closes no window')
}

/** Closes the window that is open, once for each time; a schedule that is gone is deleted. */
export async function closeDue(
  parts: ScheduleParts,
  { payload }: DomainEvent<'ScheduleReminderDue'>,
): Promise<void> {
  if (payload.reminderId !== reminderId || payload.owner !== owner) return
  if (parts.cron === '') {
    await parts.scheduler.DeleteScheduleReminder({ reminderId })
    return
  }
  const requestId = `due/${payload.dueAt}`
  const windowId = (await windowOfRequest(parts.db, requestId)) ?? (await openWindowId(parts.db))
  const reason = `schedule ${payload.dueAt}`
  const closed = await closeWindow(parts, { requestId, windowId, reason, actor: 'scheduler' })
  if (closed.type === 'CLOSED') await parts.onClosed()
  else parts.log.info({ windowId, closed }, 'a window was not closed at its time')
}
