/** What every process is made of: settings, log, metrics, health, start and stop. */
export { allOf } from './work/all-of.ts'
export { type ReadThroughOptions, readThrough } from './cache.ts'
export { type ClockWatch, openClockWatch } from './clock-watch.ts'
export { noteCertificateEnd } from './certificate-ends.ts'
export { describeSettings } from './settings/describe-settings.ts'
export { gather } from './work/gather.ts'
export { type Failed, halving } from './work/halving.ts'
export { type Health, type HealthChecks, type HealthReport, openHealth } from './health.ts'
export { type InsecureMode, reportInsecureModes } from './settings/insecure-modes.ts'
export { type LogLevel, type Logger, logLevels, logTo, openLog, takeWarnings } from './log.ts'
export { type Metrics, openMetrics } from './metrics.ts'
export { listIn } from './settings/list-in.ts'
export { operationsSettings } from './settings/operations-settings.ts'
export { currentOrigin, keepOrigin, type Origin, recordedActor, withOrigin } from './origin.ts'
export {
  Outage,
  type OutageKind,
  ProcessStopping,
  isOutage,
  needsOperator,
  outageIn,
} from './outage.ts'
export { type Periodic, periodically } from './work/periodically.ts'
export {
  type HostProcess,
  type Service,
  exitCodes,
  exitWithError,
  run,
  settingsOfProcess,
  supervise,
} from './process.ts'
export { readPem, readSettings } from './settings/read-settings.ts'
export { recent } from './work/recent.ts'
export {
  acceptedIn,
  acceptRelaxations,
  type RelaxationName,
  relaxations,
} from './settings/relaxations.ts'
export { retrying } from './work/retrying.ts'
export {
  type ChoiceSetting,
  type IntegerSetting,
  type SettingDefinition,
  type SettingDefinitions,
  type SettingValues,
  type OptionalTextSetting,
  type TextSetting,
  choice,
  integer,
  mergeSettings,
  optionalText,
  text,
} from './settings/settings.ts'
export { type SecurityEvent, type SecurityEvents, openSecurityEvents } from './security-events.ts'
export { jsonOf } from './json.ts'
export { stopAll } from './work/stop-all.ts'
export { StartError } from './start-error.ts'
export { watch } from './watch.ts'
export { workContext } from './work-context.ts'
export { databaseConnections, tlsRenewal } from './settings/shared-settings.ts'
