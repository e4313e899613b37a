export type {
  DeadLetter,
  BatchContext,
  Discarded,
  EventBus,
  PublishDerived,
  DeadLetterEvent,
  DeadLetterObserver,
  Listener,
  BroadcastSubscription,
  Message,
  MessageHeaders,
  OutgoingMessage,
  Subscribed,
  Subscription,
} from './bus/event-bus.ts'
export type { TopicAccess } from './bus/kafka/rights.ts'
export { type DistributedOptions, type DistributedParts } from './distributed.ts'
export { type DistributedSettings } from './distributed-settings.ts'
export { openEmbedded, type EmbeddedOptions } from './embedded.ts'
export type { EmbeddedParts } from './embedded-parts.ts'
export type { OthersUse, SharedMemory, Sharing, Use } from './memory/shared-memory.ts'
export { runKafkaProvision, type KafkaProvision } from './provision/kafka.ts'
export { allOf } from './all-of.ts'
export { openClockWatch, type ClockWatch, type ClockWatchOptions } from './clock-watch.ts'
export { readThrough, type ReadThrough, type ReadThroughOptions } from './cache.ts'
export { gather } from './gather.ts'
export { GrpcCallError } from './grpc/call-error.ts'
export {
  isQuestion,
  type CallOptions,
  type Calls,
  type HandledCall,
  type Handlers,
} from './grpc/definition.ts'
export {
  openGrpcHost,
  type GrpcHost,
  type GrpcHostOptions,
  type OpenGrpcHost,
} from './grpc/host.ts'
export { type CheckResult, type Health, type HealthChecks, type HealthReport } from './health.ts'
export { operationsSettings } from './operations-settings.ts'
export { describeSettings, type SettingRow } from './describe-settings.ts'
export { openBasePaths, type WithoutBase } from './http/base-paths.ts'
export {
  createHttpClient,
  type ClientTls,
  type HttpAnswer,
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
} from './http/client.ts'
export { HttpFailure, type HttpFailureKind } from './http/failure.ts'
export { noteClient, peerOf } from './http/peer.ts'
export {
  serveHttp,
  type FixedAnswer,
  type HttpServer,
  type HttpServerOptions,
  type ServerTls,
} from './http/server.ts'
export { logLevels, logTo, openLog, type Logger, type LogLevel, type LogOptions } from './log.ts'
export { openMetrics, type Metrics, type MetricsOptions } from './metrics.ts'
export { serveOperations, type OperationsOptions } from './operations.ts'
export { readPem } from './pem.ts'
export { periodically, type Periodic, type PeriodicOptions } from './periodically.ts'
export { byteaArray, textArray } from './postgres/arrays.ts'
export type {
  Database,
  Outbox,
  OutboxTicket,
  Queries,
  Statement,
  Transaction,
  TransactionOptions,
  Value,
} from './postgres/database.ts'
export { type ExclusiveDatabase, type ExclusiveOptions } from './postgres/exclusive.ts'
export { type DatabaseOptions, type DatabaseParts } from './postgres/open.ts'
export { sqlState } from './postgres/failure.ts'
export { ensureMonthlyPartitions, filedMonthOf, monthOf } from './postgres/partitions.ts'
export type { Durability } from './postgres/server.ts'
export { statement } from './postgres/statement.ts'
export { exitWithError, run, supervise, type HostProcess } from './process.ts'
export {
  readSettings,
  type ReadSettingsOptions,
  type SettingOrigin,
  type SettingSource,
  type SettingsReading,
} from './read-settings.ts'
export { runDistributed, type AloneOptions } from './run-distributed.ts'
export { retrying, type RetryOptions } from './retrying.ts'
export type { ProcessParts, Start } from './process-parts.ts'
export type { Service } from './service.ts'
export { ProcessStopping } from './stopping.ts'
export { FromNewerRelease } from './bus/from-newer-release.ts'
export { isOutage, Outage, type OutageKind } from './outage.ts'
export {
  choice,
  integer,
  mergeSettings,
  text,
  type ChoiceSetting,
  type IntegerSetting,
  type SettingDefinition,
  type SettingDefinitions,
  type SettingValues,
  type TextSetting,
} from './settings.ts'
export { StartError } from './start-error.ts'
export { watch, type Watch, type WatchOptions } from './watch.ts'
