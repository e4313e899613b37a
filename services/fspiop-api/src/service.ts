/**
 * The edge for FSPs: receives their messages and converts the hub's events to callbacks. It owns no
 * state: an accepted message is stored as an event before it is acknowledged.
 */
import type { EventBus, Listener } from '@causeway/bus'
import { openOwnKey, openRequestKeys, type RequestKeys } from '@causeway/keys/components'
import { onBroadcast } from '@causeway/events'
import { routes } from '@causeway/fspiop'
import {
  foreignPage,
  openBasePaths,
  sendFixed,
  type HttpServer,
  type HttpServerOptions,
} from '@causeway/http'
import {
  openSchemeCurrencies,
  type LiveSettings,
  type SchemeCurrencies,
} from '@causeway/live-settings'
import { openParticipants, type Participants } from '@causeway/participants'
import {
  openSecurityEvents,
  reportInsecureModes,
  type Logger,
  type Service,
} from '@causeway/process'
import { dayReportsService, settlementReportsService } from '@causeway/protos'
import type { ProcessParts } from '@causeway/runtime'
import { age_max_ms, unknown_max, usualPublish_ms } from './bounds.ts'
import { openAdmission } from './load/admission.ts'
import { openAnswerQuotas } from './load/answer-quotas.ts'
import { startAnswers, type Answers } from './answers/answers.ts'
import { createApp, pagePaths } from './pages/pages.ts'
import { authenticatedRequests } from './signatures/authenticated-requests.ts'
import {
  callbackMessages,
  openCallbackConsumers,
  type CallbackParts,
} from './callbacks/callbacks.ts'
import { openArrivals } from './bulk-transfers/arrivals.ts'
import { followBulkProgress, openBulkBacklog } from './load/bulk-backlog.ts'
import type { Edge } from './chain.ts'
import { errorsPage } from './pages/errors-page.ts'
import { openFloodRate } from './load/flood-rate.ts'
import { openFloods } from './load/floods.ts'
import { openHealthPage } from './pages/health.ts'
import { openLargeBodies, type LargeBodies } from './bodies/large-bodies.ts'
import { openMeasures } from './measures.ts'
import {
  admissionBounds,
  backlogBounds,
  callbackRules,
  deliveryTimes,
  openLive,
  rateBounds,
} from './live-bounds.ts'
import { insecureModes, refuseInsecureModes } from './insecure-modes.ts'
import { openApiDocument } from './openapi/document.ts'
import { openPacing } from './load/pacing.ts'
import { openRates } from './load/rates.ts'
import type { OwnPageParts } from './pages/own-page.ts'
import { openReconciliationPage } from './pages/reconciliation-page.ts'
import { openReportPages } from './pages/reports-page.ts'
import { refuse, type Reason } from './refusals.ts'
import { servedRoutes } from './routes.ts'
import { gatewaysOf, openSecurity, relayedHeadersOf, type Security } from './security.ts'
import { refusalBody, sendUnknownPath, serveApi, type EdgeServeParts } from './serve.ts'
import type { FspiopApiSettings } from './settings.ts'
import { shareBounds } from './load/share-bounds.ts'
import { openShedding } from './load/shedding.ts'
import { openRenewal, readTls } from './identity/tls.ts'
import { recordRequests } from './tracing.ts'
import { openConsentOwners, type ConsentOwners } from './pisp/owners.ts'
import { listedProviders, openProviders } from './pisp/providers.ts'

export interface FspiopApi extends Service {
  /** The address for FSPs: `http://127.0.0.1:4000`. */
  readonly url: string
}

interface EdgeParts extends ProcessParts {
  /** A test waits shorter for a publication. */
  readonly publish_ms?: number
}

const group = 'fspiop_api'

export async function start(settings: FspiopApiSettings, parts: EdgeParts): Promise<FspiopApi> {
  const withoutBase = basePathsOf(settings)
  const log = parts.log.child({ service: 'fspiop-api' })
  checkModes(settings, { ...parts, log })
  const { bus, grpc } = parts
  const ownKey = await openOwnKey('fspiop-api', settings.FSPIOP_API_COMPONENT_KEY_FILE, parts)
  const tls = await readTls(settings)
  const security = await openSecurity(settings, parts, log, tls?.ca ?? '')
  const participants = await openParticipants({ group, grpc, bus, log, age_max_ms })
  const listener = await followKeys(bus, security)
  const owners = openConsentOwners({ grpc, log, age_max_ms })
  const answers = startAnswers(settings, { ...parts, log })
  const largeBodies = openLargeBodies({ log })
  await largeBodies.begin()
  const live = await openLive(settings, { bus, grpc, log })
  const currencies = await boundedCurrencies(settings, { bus, grpc, log })
  const opened = { security, participants, owners, answers, largeBodies, live, currencies, log }
  const serveParts = openServing(settings, parts, opened)
  const { rates, admission, edge, identify, challenge } = serveParts
  const progress = followBulkProgress(serveParts.bulkBacklog, { grpc, log })
  const sharing = shareBounds(parts.shared, { rates, admission, quotas: edge.quotas }, Date.now)
  const telling = await openCallbackConsumers({
    bus,
    callbacks: serveParts.callbacks,
    rules: callbackRules(live),
    shedding: serveParts.shedding,
  })
  const app = createApp({
    health: openHealthPage({
      'participant-lifecycle': () => participants.ping(),
      ...(security.ping === undefined ? {} : { 'auth-service': security.ping }),
      events: () => bus.answers(),
    }),
    ...describedApi(edge.served, settings),
    jwks: { keys: publicKeysOf(security) },
    issueToken: security.issueToken,
    ...ownPages({ identify, challenge, participants }, grpc),
    onUnknownPath: (request, response) => sendUnknownPath(serveParts, request, response),
    onUnreadable: (response) => sendFixed(response, fixedAnswer('NOT_HTTP')),
  })
  const server = await openPort(settings, tls, { ...parts, log }, (request, response) => {
    if (settings.EDGE_IDENTITY === 'header' && foreignPage(request, true) !== undefined) {
      sendFixed(response, fixedAnswer('FOREIGN_PAGE'))
      return
    }
    request.url = withoutBase(request.url ?? '/')
    if (!serveApi(serveParts, request, response)) app(request, response)
  })
  const renewal = await openRenewal(settings, tls, server, { ...parts, log, security })
  return {
    url: server.url,
    async stop() {
      await renewal.stop()
      await server.stop()
      await live.stop()
      await currencies?.stop()
      await largeBodies.stop()
      sharing.stop()
      await progress.stop()
      await telling.stop()
      await listener.stop()
      await answers.stop()
      await owners.stop()
      await security.stop()
      await participants.stop()
      await ownKey.stop()
    },
  }
}

function basePathsOf({ FSP_BASE_PATHS }: FspiopApiSettings): (url: string) => string {
  const paths = [...routes.map(({ template }) => template), ...pagePaths]
  return openBasePaths('FSP_BASE_PATHS', FSP_BASE_PATHS, paths)
}

function checkModes(settings: FspiopApiSettings, parts: ProcessParts): void {
  refuseInsecureModes(settings)
  const relaxed = insecureModes(settings).map((mode) => ({ mode }))
  reportInsecureModes('fspiop-api', relaxed, parts)
}

/** The currencies of the scheme, where their decimals bound amounts. */
async function boundedCurrencies(
  { AMOUNT_DECIMALS: bound }: FspiopApiSettings,
  parts: Pick<ProcessParts, 'bus' | 'grpc' | 'log'>,
): Promise<SchemeCurrencies | undefined> {
  return bound === 'four' ? undefined : openSchemeCurrencies('fspiop-api', bound, parts)
}

/** What an FSP reads of its own records. */
function ownPages(parts: OwnPageParts, grpc: ProcessParts['grpc']) {
  return {
    reconciliation: openReconciliationPage({
      ...parts,
      reports: grpc.client(settlementReportsService, 'settlements'),
    }),
    reports: openReportPages({ ...parts, reports: grpc.client(dayReportsService, 'settlements') }),
  }
}

/** Cached keys of an FSP are outdated when they change. */
function followKeys(bus: EventBus, security: Security): Promise<Listener> {
  return onBroadcast(bus, group, ['ParticipantKeysUpdated'], {
    onEvents(events) {
      for (const { payload } of events) security.forgetKeys(payload.participantId)
    },
    onMissed: () => security.forgetAllKeys(),
  })
}

/** The documentation of this port for authors of clients. */
function describedApi(served: Edge['served'], { COMPATIBILITY }: FspiopApiSettings) {
  return {
    errorsPage: errorsPage(COMPATIBILITY),
    openApi: openApiDocument(served, COMPATIBILITY),
  }
}

interface OpenedParts {
  readonly security: Security
  readonly participants: Participants
  readonly owners: ConsentOwners
  readonly answers: Answers
  readonly largeBodies: LargeBodies
  readonly live: LiveSettings<FspiopApiSettings>
  readonly currencies: SchemeCurrencies | undefined
  readonly log: Logger
}

/** The public keys of the hub and of the hosted auth service, for receivers of their messages. */
function publicKeysOf({ hubKeys, authServiceKeys }: Security): readonly object[] {
  return [hubKeys, authServiceKeys].flatMap((keys) => keys?.publicJwks ?? [])
}

function openServing(
  settings: FspiopApiSettings,
  { bus, grpc, metrics, shared, tracer, publish_ms = usualPublish_ms }: EdgeParts,
  { security, participants, owners, answers, largeBodies, live, currencies, log }: OpenedParts,
): EdgeServeParts & { readonly callbacks: CallbackParts } {
  const floods = openFloods(Date.now)
  const floodRate = openFloodRate(floods, Date.now)
  const pacing = openPacing(floods, floodRate, Date.now)
  const { FSPIOP_API_QUEUE_DELAY_MAX_MS: queueDelay_max_ms } = live.current
  const shedding = openShedding(queueDelay_max_ms, Date.now)
  const admission = openAdmission(admissionBounds(live.current), shedding)
  followBounds(live, { admission, shedding })
  const measures = openMeasures(metrics, admission, shedding)
  const times = deliveryTimes(live)
  const callbacks: CallbackParts = {
    participants,
    hubName: settings.HUB_NAME,
    ...times,
    onNoEndpoint: () => measures.noEndpoint(),
    sign: security.hubKeys?.sign,
    authService: { name: settings.AUTH_SERVICE_PARTICIPANT, sign: security.authServiceKeys?.sign },
  }
  const listed = listedProviders(settings.FSPIOP_API_PROVIDERS)
  const providers = openProviders(grpc, listed, Date.now)
  const grace_ms = settings.EXPIRY_GRACE_MS
  const arrivals = openArrivals({ grpc, log, grace_ms, now_ms: Date.now })
  const edge: Edge = {
    served: servedRoutes(settings, {
      owners,
      providers,
      largeBodies,
      arrivals,
      participants,
      ...times,
    }),
    participants,
    quotas: openAnswerQuotas({
      unasked_max: settings.FSPIOP_API_UNSOLICITED_ANSWERS_MAX,
      unknown_max,
      isSole: shared.isSole,
    }),
    answers,
    hubName: settings.HUB_NAME,
    authService: settings.AUTH_SERVICE_PARTICIPANT,
    compatibility: settings.COMPATIBILITY,
    decimals: () => currencies?.decimals,
    relayedHeaders: relayedHeadersOf(settings),
    checkSignature: security.checkSignature,
    expiryGrace_ms: settings.EXPIRY_GRACE_MS,
    now_ms: Date.now,
    relay: (triggered) => callbackMessages([triggered], callbacks, new Date()),
    publish: publishWithin(
      // In one process nobody is between the edge and transfers.
      shared.isSole ? bus : { publish: authenticatedRequests(bus, knownKeys(grpc)) },
      log,
      publish_ms,
    ),
    record: tracer && recordRequests(tracer),
  }
  const rates = openRates(rateBounds(live))
  const { identify, challenge } = security
  const bulkBacklog = openBulkBacklog(backlogBounds(live), Date.now)
  const limits = { rates, bulkBacklog, admission, floods, floodRate, pacing, shedding }
  const securityEvents = openSecurityEvents('fspiop-api', { log, metrics })
  return { edge, identify, challenge, ...limits, measures, securityEvents, log, callbacks }
}

/** Asks for the key at once, so that the first payment does not wait for it. */
function knownKeys(grpc: ProcessParts['grpc']): RequestKeys {
  const keys = openRequestKeys(grpc)
  keys.reread().catch(() => undefined)
  return keys
}

function followBounds(
  live: LiveSettings<FspiopApiSettings>,
  { admission, shedding }: Pick<EdgeServeParts, 'admission' | 'shedding'>,
): void {
  let { FSPIOP_API_QUEUE_DELAY_MAX_MS: queueDelay_max_ms } = live.current
  live.onChange((settings) => {
    admission.setBounds(admissionBounds(settings))
    // Setting the bound again would forget what is being refused.
    if (settings.FSPIOP_API_QUEUE_DELAY_MAX_MS === queueDelay_max_ms) return
    queueDelay_max_ms = settings.FSPIOP_API_QUEUE_DELAY_MAX_MS
    shedding.setBound(queueDelay_max_ms)
  })
}

function openPort(
  settings: FspiopApiSettings,
  tls: HttpServerOptions['tls'],
  { http, log }: Pick<ProcessParts, 'http' | 'log'>,
  handler: HttpServerOptions['handler'],
): Promise<HttpServer> {
  return http.serve({
    name: 'API for FSPs',
    host: settings.FSP_HOST,
    port: settings.FSP_PORT,
    handler,
    log,
    connections: {
      total_max: settings.FSPIOP_API_CONNECTIONS_MAX,
      per_client_max: settings.FSPIOP_API_CONNECTIONS_PER_FSP_MAX,
      gateways: gatewaysOf(settings),
    },
    onTooManyConnections: fixedAnswer('TOO_MANY_CONNECTIONS'),
    onHeadTooLarge: fixedAnswer('HEAD_TOO_LARGE'),
    onUnreadable: fixedAnswer('NOT_HTTP'),
    onLate: fixedAnswer('NOT_RECEIVED_IN_TIME'),
    onFault: fixedAnswer('FAULT'),
    ...(tls === undefined ? {} : { tls }),
  })
}

/**
 * Rejects when the event is not durable in time; it may become durable later, and a retry is then a
 * duplicate. Many requests fail together, so the log has one line per second.
 */
function publishWithin(
  bus: Pick<EventBus, 'publish'>,
  log: Logger,
  timeout_ms: number,
): Edge['publish'] {
  let notify_within_ms = 0
  const logFailure = (error: unknown) => {
    if (Date.now() - notify_within_ms < 1_000) return
    notify_within_ms = Date.now()
    log.error({ err: error }, 'a request could not be stored and was refused')
  }
  return (events) =>
    new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        clearTimeout(timer)
        logFailure(error)
        reject(error instanceof Error ? error : new Error(String(error)))
      }
      const timer = setTimeout(() => fail(new Error('not durable in time')), timeout_ms)
      bus.publish(events).then(() => {
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
