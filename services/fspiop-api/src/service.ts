/**
 * The edge for FSPs: lets their messages in, and turns what the hub has to say into callbacks. It
 * owns no state: what it accepts is stored as an event before it is acknowledged.
 */
import { onEvents } from '@causeway/events'
import { openParticipants } from '@causeway/participants'
import {
  serveHttp,
  StartError,
  type EventBus,
  type Logger,
  type OutgoingMessage,
  type ProcessParts,
  type Service,
} from '@causeway/runtime'
import { openAdmission } from './admission.ts'
import { createApp } from './app.ts'
import { callbackMessages, type CallbackParts } from './callbacks.ts'
import type { Edge } from './chain.ts'
import { errorsPage } from './errors-page.ts'
import { openHealthPage } from './health.ts'
import { openMeasures } from './measures.ts'
import { refuse, type Reason } from './refusals.ts'
import { reportEvents, reportLines } from './reports.ts'
import { refusalBody, sendUnknownPath, serveApi } from './serve.ts'
import type { Settings } from './settings.ts'
import { transferLegs, transferReports, type CallbackRules } from './transfers/callbacks.ts'
import { transferRoutes } from './transfers/requests.ts'

export interface FspiopApi extends Service {
  /** Where FSPs reach it: `http://127.0.0.1:4000`. */
  readonly url: string
}

const callbackEvents = Object.keys(transferReports) as (keyof typeof transferReports)[]

export async function start(settings: Settings, parts: ProcessParts): Promise<FspiopApi> {
  refuseOpenDoor(settings)
  const log = parts.log.child({ service: 'fspiop-api' })
  log.warn('EDGE_IDENTITY=header: whoever reaches the port is who FSPIOP-Source says')
  log.warn('JWS_VERIFY=off, JWS_SIGN=off: signatures are neither verified nor made')
  const { bus, grpc } = parts
  const participants = await openParticipants({
    group: 'fspiop_api',
    grpc,
    bus,
    log,
    age_max_ms: settings.FSPIOP_API_PARTICIPANT_AGE_MAX_MS,
  })
  const admission = openAdmission({
    total_max: settings.FSPIOP_API_IN_FLIGHT_MAX,
    per_fsp_max: settings.FSPIOP_API_IN_FLIGHT_PER_FSP_MAX,
    bytes_max: settings.FSPIOP_API_BODIES_MAX_BYTES,
  })
  const measures = openMeasures(parts.metrics, admission)
  const edge: Edge = {
    served: transferRoutes(transferRules(settings)),
    participants,
    hubName: settings.HUB_NAME,
    compatibility: settings.COMPATIBILITY,
    publish: publishWithin(bus, log, settings.FSPIOP_API_PUBLISH_TIMEOUT_MS),
  }
  const callbacks = await tellFsps(settings, bus, {
    participants,
    hubName: settings.HUB_NAME,
    outcome_ms: settings.OUTCOME_RETRY_H * 3_600_000,
    onNoEndpoint: () => measures.noEndpoint(),
  })

  const serveParts = { edge, admission, measures, log }
  const app = createApp({
    health: openHealthPage({
      'participant-lifecycle': () => participants.ping(),
      events: () => bus.deadLetters(1),
    }),
    errorsPage: errorsPage(settings.COMPATIBILITY),
    onUnknownPath: (request, response) => sendUnknownPath(serveParts, request, response),
  })
  const server = await serveHttp({
    name: 'API for FSPs',
    host: settings.FSP_HOST,
    port: settings.FSP_PORT,
    handler(request, response) {
      if (!serveApi(serveParts, request, response)) app(request, response)
    },
    log,
    onHeadTooLarge: fixedAnswer('HEAD_TOO_LARGE'),
    onUnreadable: fixedAnswer('NOT_HTTP'),
  })
  return {
    url: server.url,
    async stop() {
      await server.stop()
      await callbacks.stop()
      await participants.stop()
    },
  }
}

/** While one batch is being stored the next is made. */
const callback_batches_max = 2
/** Nobody waits for reports, so they are gathered. */
const reports_apart_ms = 250
const report_batch_max = 1_000

const loopback = /^(localhost|::1|127(\.\d{1,3}){3})$/

/** Without a proof of identity only this machine may come in. */
function refuseOpenDoor({ FSP_HOST, EDGE_IDENTITY }: Settings): void {
  if (loopback.test(FSP_HOST)) return
  throw new StartError(
    `FSP_HOST=${FSP_HOST} is refused: with EDGE_IDENTITY=${EDGE_IDENTITY} anybody could pay in any FSP's name, so only a loopback address such as 127.0.0.1 may be listened on.`,
  )
}

function transferRules(settings: Settings) {
  const isMojaloop = settings.COMPATIBILITY === 'mojaloop'
  return {
    onUsAllowed: settings.ON_US_TRANSFERS === 'on',
    abortedIgnored: isMojaloop,
    timestampBounds: isMojaloop
      ? {
          ahead_ms_max: settings.COMPLETED_TIMESTAMP_AHEAD_MS,
          behind_ms_max: settings.COMPLETED_TIMESTAMP_BEHIND_MS,
        }
      : undefined,
  }
}

/** Callbacks first, reports beside them: who waits for money does not wait for a report. */
async function tellFsps(settings: Settings, bus: EventBus, parts: CallbackParts): Promise<Service> {
  const rules: CallbackRules = {
    notifyPayeeOnTimeout: settings.NOTIFY_PAYEE_ON_TIMEOUT === 'on',
  }
  const publish = async (messages: readonly OutgoingMessage[]) => {
    if (messages.length > 0) await bus.publish(messages)
  }
  const callbacks = await onEvents(
    bus,
    'fspiop_api',
    callbackEvents,
    async (events) => {
      const legs = events.flatMap((event) =>
        transferLegs(event, rules).map((leg) => ({ event, leg })),
      )
      await publish(await callbackMessages(legs, parts, new Date()))
    },
    { batches_in_flight_max: callback_batches_max },
  )
  const reports = await onEvents(
    bus,
    'fspiop_api',
    ['NotifyReport'],
    (events) => publish(reportEvents(events.flatMap(reportLines))),
    { batch_max: report_batch_max, batches_apart_ms: reports_apart_ms },
  )
  return {
    async stop() {
      await callbacks.stop()
      await reports.stop()
    },
  }
}

/**
 * Rejects when the event is not durable in time; it may become so later, and is then a repeat. Many
 * requests fail together, so one line a second tells of them.
 */
function publishWithin(bus: EventBus, log: Logger, timeout_ms: number): Edge['publish'] {
  let told_ms = 0
  const tell = (error: unknown) => {
    if (Date.now() - told_ms < 1_000) return
    told_ms = Date.now()
    log.error({ err: error }, 'a request could not be stored and was refused')
  }
  return (event) =>
    new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        clearTimeout(timer)
        tell(error)
        reject(error instanceof Error ? error : new Error(String(error)))
      }
      const timer = setTimeout(() => fail(new Error('not durable in time')), timeout_ms)
      bus.publish([event]).then(() => {
        clearTimeout(timer)
        resolve()
      }, fail)
    })
}

function fixedAnswer(reason: Reason) {
  const refusal = refuse(reason)
  return {
    status: refusal.status,
    contentType: 'application/json',
    body: refusalBody(refusal),
  }
}
