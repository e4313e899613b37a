/**
 * Closes windows on schedules. Each DEFERRED model may have its own. The scheduler reports each due
 * time at least once, and the window that is open then is closed once for that time, however many
 * models share it. A window without transfers stays open.
 */
import type { DomainEvent } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import { retrying, type Logger } from '@causeway/process'
import type { schedulerService } from '@causeway/protos'
import { scheduleOf, type Model } from './domain/model.ts'
import { closeWindow, type ClosingParts } from '../windows/close.ts'
import { openWindowId, windowOfRequest } from '../windows/store.ts'

const owner = 'settlements'
const prefix = 'settlements/close-window'
/** Attempts while other processes change the same schedule. */
const tries_max = 10

export interface ScheduleParts {
  readonly scheduler: Pick<
    Calls<typeof schedulerService>,
    'CreateScheduleReminder' | 'DeleteScheduleReminder'
  >
  readonly models: () => Promise<readonly Model[]>
  readonly log: Logger
  /** Ends retries when the service stops; the next start continues. */
  readonly signal: AbortSignal
}

export type DueParts = ScheduleParts & ClosingParts & { readonly onClosed: () => Promise<void> }

function reminderOf(modelId: number): string {
  return `${prefix}/${modelId}`
}

export interface Registrations {
  register(modelId: number): Promise<void>
  /** At every start, which also covers what a crash has interrupted. */
  registerAll(): Promise<void>
  /** Ends with those in progress. */
  over(): Promise<void>
}

/**
 * Registers schedules, each until it is registered or the service stops: nothing else closes the windows of
 * its model. A model whose schedule cannot be registered does not delay those of others.
 */
export function openRegistrations(parts: ScheduleParts): Registrations {
  const { log, signal } = parts
  const inProgress = new Set<Promise<void>>()
  async function register(modelId: number): Promise<void> {
    const registering = retrying(() => registerSchedule(parts, modelId), {
      log,
      what: `registering the schedule of model ${modelId}`,
      signal,
      everyFailure: true,
    }).catch(() => undefined) // stopped before it was registered
    inProgress.add(registering)
    await registering
    inProgress.delete(registering)
  }
  return {
    register,
    async registerAll() {
      const what = 'reading the models that have a schedule'
      const models = await retrying(parts.models, { log, what, signal, everyFailure: true }).catch(
        () => [], // stopped before they were read
      )
      const scheduled = models.filter(({ windowCron }) => windowCron !== null)
      await Promise.all(scheduled.map(({ id }) => register(id)))
    },
    async over() {
      await Promise.all(inProgress)
    },
  }
}

/**
 * Registers the schedule of a model. The model is read again afterwards, so that of two concurrent
 * processes the later change wins.
 */
async function registerSchedule(parts: ScheduleParts, modelId: number): Promise<void> {
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

/** @returns false when another schedule was registered in the meantime */
async function set(parts: ScheduleParts, modelId: number, cron: string): Promise<boolean> {
  const { scheduler, log, signal } = parts
  const create = () =>
    retrying(
      () =>
        scheduler.CreateScheduleReminder({
          reminderId: reminderOf(modelId),
          owner,
          cron,
          payload: cron,
          taskType: 'EVENT',
          recovery: 'RETRY',
        }),
      { log, what: 'registering the schedule of windows', signal },
    )
  if (!(await create()).refusal) return true
  await remove(parts, modelId)
  return !(await create()).refusal
}

async function remove({ scheduler, log, signal }: ScheduleParts, modelId: number): Promise<true> {
  const reminderId = reminderOf(modelId)
  await retrying(() => scheduler.DeleteScheduleReminder({ reminderId, owner }), {
    log,
    what: 'removing the schedule of windows',
    signal,
  })
  return true
}

/**
 * Closes the window that is open, once for each time; a reminder that no longer belongs to a
 * model's schedule is removed.
 */
export async function closeDue(
  parts: DueParts,
  {
    payload: { reminderId, owner: whose, payload: cron, dueAt },
  }: DomainEvent<'ScheduleReminderDue'>,
): Promise<void> {
  if (whose !== owner || !reminderId.startsWith(prefix)) return
  const model = (await parts.models()).find(({ id }) => reminderOf(id) === reminderId)
  if (model === undefined) {
    await parts.scheduler.DeleteScheduleReminder({ reminderId, owner })
    return
  }
  if (scheduleOf(model) !== cron) {
    await registerSchedule(parts, model.id)
    return
  }
  const requestId = `due/${dueAt}`
  const windowId = (await windowOfRequest(parts.db, requestId)) ?? (await openWindowId(parts.db))
  const reason = `schedule ${dueAt} of ${model.name}`
  const closed = await closeWindow(parts, { requestId, windowId, reason, actor: 'scheduler' })
  if (closed.type === 'CLOSED') await parts.onClosed()
  else parts.log.info({ windowId, closed }, 'a window was not closed at its scheduled time')
}
