/** Every setting of account-lookup, with its unit, default and bounds. */
import { componentKeyFile } from '@causeway/keys/components'
import { egressSettings } from '@causeway/http'
import { choice, integer, optionalText, text, type SettingValues } from '@causeway/process'

const ofDatabase = {
  ACCOUNT_LOOKUP_DATABASE_URL: text({
    about: 'database of parties and oracles; empty: the embedded one',
    default: '',
    secret: true,
  }),
  ACCOUNT_LOOKUP_COMPONENT_KEY_FILE: componentKeyFile,
  ACCOUNT_LOOKUP_CONNECTIONS_MAX: integer({
    about: 'connections to it',
    unit: 'connections',
    default: 4,
    min: 1,
    max: 100,
  }),
  ACCOUNT_LOOKUP_COMMAND_RETENTION_H: integer({
    about:
      'how long the ids of processed requests are retained; longer than the log retains events',
    unit: 'h',
    default: 168,
    min: 24,
    max: 8_760,
  }),
}

const ofEvents = {
  ACCOUNT_LOOKUP_BATCH_MAX: integer({
    about: 'events in one batch',
    unit: 'events',
    default: 100,
    min: 1,
    max: 1_000,
  }),
  ACCOUNT_LOOKUP_BATCHES_IN_FLIGHT_MAX: integer({
    about: 'batches in progress at once, so that a long list of parties does not delay lookups',
    unit: 'batches',
    default: 2,
    min: 1,
    max: 256,
  }),
  ACCOUNT_LOOKUP_QUERY_DEADLINE_MS: integer({
    about: 'how long delivery of GET /parties to the FSP of the party is attempted',
    unit: 'ms',
    default: 30_000,
    min: 1_000,
    max: 600_000,
  }),
}

const ofMemory = {
  ACCOUNT_LOOKUP_CACHE_AGE_MAX_MS: integer({
    about: 'maximum age of cached owners of parties and of the cached list of oracles',
    unit: 'ms',
    default: 10_000,
    min: 0,
    max: 600_000,
  }),
  ACCOUNT_LOOKUP_CACHE_ENTRIES_MAX: integer({
    about: "parties in the cache of the hub's own store, and in that of each oracle",
    unit: 'parties',
    default: 100_000,
    min: 0,
    max: 10_000_000,
  }),
  ACCOUNT_LOOKUP_PARTICIPANT_AGE_MAX_MS: integer({
    about: 'maximum age of a cached participant without a change event',
    unit: 'ms',
    default: 60_000,
    min: 100,
    max: 3_600_000,
  }),
}

const ofOracles = {
  ACCOUNT_LOOKUP_BUILT_IN: choice({
    about:
      "types for which the hub's own store answers: default (all without a registered oracle) or registered (only those for which it is registered as builtin:)",
    options: ['default', 'registered'],
    default: 'default',
  }),
  ACCOUNT_LOOKUP_ORACLE_TLS_CERTIFICATE_FILE: optionalText({
    about: 'PEM file: the client certificate for https oracles; empty: none',
  }),
  ACCOUNT_LOOKUP_ORACLE_TLS_KEY_FILE: optionalText({
    about: 'PEM file: the private key of the client certificate',
  }),
  ACCOUNT_LOOKUP_ORACLE_TLS_CA_FILE: optionalText({
    about: 'PEM file: the CA of https oracles; empty: the public ones',
  }),
  ACCOUNT_LOOKUP_ORACLE_REQUESTS_MAX: integer({
    about: 'requests that wait for oracles at once',
    unit: 'requests',
    default: 128,
    min: 1,
    max: 10_000,
  }),
  ACCOUNT_LOOKUP_ORACLE_TIMEOUT_MS: integer({
    about: 'time-out of one call of an oracle, including the wait for a connection',
    unit: 'ms',
    default: 5_000,
    min: 10,
    max: 60_000,
  }),
  ACCOUNT_LOOKUP_FIND_OWNERS_WAIT_MS: integer({
    about: 'how long a FindOwners call waits for an oracle',
    unit: 'ms',
    default: 1_500,
    min: 10,
    max: 60_000,
  }),
  ACCOUNT_LOOKUP_ORACLE_ATTEMPTS_MAX: integer({
    about: 'attempts of a query before the oracle counts as away; changes are sent once',
    unit: 'attempts',
    default: 2,
    min: 1,
    max: 5,
  }),
  ACCOUNT_LOOKUP_ORACLE_CALLS_MAX: integer({
    about: 'concurrent calls of one oracle',
    unit: 'calls',
    default: 32,
    min: 1,
    max: 1_000,
  }),
  ACCOUNT_LOOKUP_ORACLE_FAILURES_MAX: integer({
    about: 'consecutive failures after which only trial calls are made',
    unit: 'failures',
    default: 5,
    min: 1,
    max: 1_000,
  }),
  ACCOUNT_LOOKUP_ORACLE_TRIAL_MS: integer({
    about: 'the time between two trials',
    unit: 'ms',
    default: 5_000,
    min: 10,
    max: 600_000,
  }),
  HUB_NAME: text({ about: 'name of the hub as a participant', default: 'Hub' }),
}

export const settings = { ...ofDatabase, ...ofEvents, ...ofMemory, ...ofOracles, ...egressSettings }

export type Settings = SettingValues<typeof settings>
