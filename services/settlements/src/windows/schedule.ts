/**
 * Closing windows on schedules: each model that is settled later may have one of its own. The scheduler
 * tells when a time has come, at least once, and the window that is open then is closed once for that
 * time, however many models have it. A window without transfers stays open.
 */
import type { DomainEvent } from '@causeway/events'
import type { schedulerService } from '@causeway/protos'
import { retrying, type Calls, type Logger } from '@causeway/runtime'
import { scheduleOf, type Model } from '../models/domain/model.ts'
import { closeWindow, type ClosingParts } from './close.ts'
import { openWindowId, windowOfRequest } from './store.ts'

const owner = 'settlements'
const prefix = 'settlements/close-window'
/** Whoever else sets the same schedule at the same time is outwaited. */
const tries_max = 10

export interface ScheduleParts {
  readonly scheduler: Pick<
    Calls<typeof schedulerService>,
    'CreateScheduleReminder' | 'DeleteScheduleReminder'
  >
  readonly models: () => Promise<readonly Model[]>
  readonly log: Logger
  /** Ends the repeating when the service stops; the next start goes on. */
  readonly signal: AbortSignal
}

export type DueParts = ScheduleParts & ClosingParts & { readonly onClosed: () => Promise<void> }

function reminderOf(modelId: number): string {
  return `${prefix}/${modelId}`
}

/** Every start does it for all models, and so makes up for what a crash has left out. */
export async function keepSchedules(parts: ScheduleParts): Promise<void> {
  const models = await retrying(parts.models, {
    log: parts.log,
    what: 'read when windows are closed',
    signal: parts.signal,
  })
  for (const { id, windowCron } of models) {
    if (windowCron !== null) await keepSchedule(parts, id)
  }
}

/**
 * Has the scheduler know when windows are closed for a model. The model is read again afterwards, so that
 * of two processes that do it at once the later change wins.
 */
export async function keepSchedule(parts: ScheduleParts, modelId: number): Promise<void> {
  const { models, log, signal } = parts
  const read = () =>
    retrying(async () => scheduleOf((await models()).find(({ id }) => id === modelId)), {
      log,
      what: 'read when windows are closed',
      signal,
    })
  let cron = await read()
  for (let tries = 1; tries <= tries_max; tries++) {
    const isSet = cron === '' ? await remove(parts, modelId) : await set(parts, modelId, cron)
    const now = await read()
    if (isSet && now === cron) return
    cron = now
  }
  log.error({ modelId, cron }, 'ALARM the schedule of a model closes no window')
}

/** @returns false when another time was registered meanwhile */
async function set(parts: ScheduleParts, modelId: number, cron: string): Promise<boolean> {
  const { scheduler, log, signal } = parts
  const create = () =>
    retrying(
      () =>
        scheduler.CreateScheduleReminder({
          reminderId: reminderOf(modelId),
          owner,
          dueAt: '',
          cron,
          payload: cron,
          taskType: 'EVENT',
          url: '',
          recovery: 'RETRY',
        }),
      { log, what: 'register when windows are closed', signal },
    )
  if (!(await create()).refusal) return true
  await remove(parts, modelId)
  return !(await create()).refusal
}

async function remove({ scheduler, log, signal }: ScheduleParts, modelId: number): Promise<true> {
  const reminderId = reminderOf(modelId)
  await retrying(() => scheduler.DeleteScheduleReminder({ reminderId }), {
    log,
    what: 'take back when windows are closed',
    signal,
  })
  return true
}

/** Closes the window that is open, once for each time; what is no model's schedule any more is removed. */
export async function closeDue(
  parts: DueParts,
  {
    payload: { reminderId, owner: whose, payload: cron, dueAt },
  }: DomainEvent<'ScheduleReminderDue'>,
): Promise<void> {
  if (whose !== owner || !reminderId.startsWith(prefix)) return
  const model = (await parts.models()).find(({ id }) => reminderOf(id) === reminderId)
  if (model === undefined) {
    await parts.scheduler.DeleteScheduleReminder({ reminderId })
    return
  }
  if (scheduleOf(model) !== cron) {
    await keepSchedule(parts, model.id)
    return
  }
  const requestId = `due/${dueAt}`
  const windowId = (await windowOfRequest(parts.db, requestId)) ?? (await openWindowId(parts.db))
  const reason = `schedule ${dueAt} of ${model.name}`
  const closed = await closeWindow(parts, { requestId, windowId, reason, actor: 'scheduler' })
  if (closed.type === 'CLOSED') await parts.onClosed()
  else parts.log.info({ windowId, closed }, 'a window was not closed at its time')
}
