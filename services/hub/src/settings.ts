/** The settings of the hub process: its own and those of every service in it. */
import { settings as admin } from '@causeway/admin'
import { settings as fspiopApi } from '@causeway/fspiop-api'
import {
  choice,
  integer,
  logLevels,
  mergeSettings,
  operationsSettings,
  optionalText,
  text,
  type SettingDefinitions,
  type SettingValues,
} from '@causeway/process'
import { serviceNames, settingPrefix, type ServiceName } from '@causeway/services'
import { innerServices } from './services.ts'

const own = {
  DATA_DIR: text({
    about: 'folder of the embedded engines, the log and the secrets',
    default: '.data',
  }),
  DURABILITY: choice({
    about:
      'what an acknowledged message (202) survives: fsync (power loss) or none (nothing; for tests only)',
    options: ['fsync', 'none'],
    default: 'fsync',
  }),
  LOG_LEVEL: choice({
    about: 'the least level that is logged',
    options: logLevels,
    default: 'info',
  }),
  LOG_FILE: optionalText({
    about: 'log file; - for stderr, empty for DATA_DIR/causeway.log',
  }),
  LOG_RETENTION_H: integer({
    about: 'how long delivered events are retained',
    unit: 'h',
    default: 24,
    min: 0,
    max: 8_760,
  }),
  ...operationsSettings,
  SANDBOX_FSPS_FILE: optionalText({
    about:
      'JSON file: the ports of the sandbox FSPs; the hub makes their credentials; empty: the usual ports',
  }),
  SANDBOX_VALIDITY_MS: integer({
    about: 'how long a payment may take before it expires, unless the request sets it',
    unit: 'ms',
    default: 15_000,
    min: 100,
    max: 600_000,
  }),
}

const ofInnerServices = Object.values(innerServices).map((service) => service.settings)

const merged = mergeSettings([own, ...ofInnerServices, fspiopApi, admin])

export const settings = {
  ...merged,
  // No process of another release reads what this one stores.
  MESSAGE_ENCRYPTION: { ...merged.MESSAGE_ENCRYPTION, default: 'on' as const },
}

/** Its own, without those that each process of a distributed hub has. */
export function settingsOfService(service: ServiceName): SettingDefinitions {
  const edges = { 'fspiop-api': { settings: fspiopApi }, admin: { settings: admin } }
  return { ...innerServices, ...edges }[service].settings
}

export type HubSettings = SettingValues<typeof settings>

/** An environment variable with one of these prefixes that is not a setting is an error. */
export const settingPrefixes = [
  ...serviceNames.map((service) => `${settingPrefix(service)}_`),
  'EDGE_',
  'JWS_',
  'SANDBOX_',
  'SCHEME_',
  'TRACES_',
]
