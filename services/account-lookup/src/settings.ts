/** Every setting of account-lookup, with its unit, default and bounds. */
import { choice, integer, text, type SettingValues } from '@causeway/runtime'

const ofDatabase = {
  ACCOUNT_LOOKUP_DATABASE_URL: text({
    about: 'database of parties and oracles; empty: the embedded one',
    default: '',
    secret: true,
  }),
  ACCOUNT_LOOKUP_CONNECTIONS_MAX: integer({
    about: 'connections to it',
    unit: 'connections',
    default: 4,
    min: 1,
    max: 100,
  }),
  ACCOUNT_LOOKUP_COMMANDS_KEPT_H: integer({
    about:
      'how long it is remembered which associations were worked on; longer than any event is kept',
    unit: 'h',
    default: 168,
    min: 24,
    max: 8_760,
  }),
}

const ofEvents = {
  ACCOUNT_LOOKUP_BATCH_MAX: integer({
    about: 'events that are worked on at once',
    unit: 'events',
    default: 100,
    min: 1,
    max: 1_000,
  }),
  ACCOUNT_LOOKUP_BATCHES_IN_FLIGHT_MAX: integer({
    about: 'batches side by side, so that a long list of parties does not stop the lookups',
    unit: 'batches',
    default: 2,
    min: 1,
    max: 256,
  }),
  ACCOUNT_LOOKUP_QUERY_DEADLINE_MS: integer({
    about: 'how long it is tried to hand GET /parties to the FSP that the party belongs to',
    unit: 'ms',
    default: 30_000,
    min: 1_000,
    max: 600_000,
  }),
}

const ofMemory = {
  ACCOUNT_LOOKUP_CACHE_AGE_MAX_MS: integer({
    about: 'how old an answer from memory may be: whose a party is, and which oracles there are',
    unit: 'ms',
    default: 10_000,
    min: 0,
    max: 600_000,
  }),
  ACCOUNT_LOOKUP_CACHE_ENTRIES_MAX: integer({
    about: 'parties that are kept in memory, of the own store and of each oracle',
    unit: 'parties',
    default: 100_000,
    min: 0,
    max: 10_000_000,
  }),
  ACCOUNT_LOOKUP_PARTICIPANT_AGE_MAX_MS: integer({
    about: 'how old what is known of a participant may be when no change was heard',
    unit: 'ms',
    default: 60_000,
    min: 100,
    max: 3_600_000,
  }),
}

const ofOracles = {
  ACCOUNT_LOOKUP_BUILT_IN: choice({
    about:
      'what the own store answers for: default (all for which no oracle is registered) or registered (only what it is registered for, as builtin:)',
    options: ['default', 'registered'],
    default: 'default',
  }),
  ACCOUNT_LOOKUP_ORACLE_REQUESTS_MAX: integer({
    about: 'requests that wait for an oracle side by side',
    unit: 'requests',
    default: 128,
    min: 1,
    max: 10_000,
  }),
  ACCOUNT_LOOKUP_ORACLE_TIMEOUT_MS: integer({
    about: 'how long one call of an oracle may take, waiting for a connection included',
    unit: 'ms',
    default: 5_000,
    min: 10,
    max: 60_000,
  }),
  ACCOUNT_LOOKUP_FIND_OWNERS_WAIT_MS: integer({
    about: 'how long another service that asks whose parties are waits for an oracle',
    unit: 'ms',
    default: 1_500,
    min: 10,
    max: 60_000,
  }),
  ACCOUNT_LOOKUP_ORACLE_ATTEMPTS_MAX: integer({
    about: 'how often an oracle is asked before it counts as away; what is written is sent once',
    unit: 'attempts',
    default: 2,
    min: 1,
    max: 5,
  }),
  ACCOUNT_LOOKUP_ORACLE_CALLS_MAX: integer({
    about: 'calls of one oracle side by side',
    unit: 'calls',
    default: 32,
    min: 1,
    max: 1_000,
  }),
  ACCOUNT_LOOKUP_ORACLE_FAILURES_MAX: integer({
    about: 'failures in a row after which an oracle gets only trials',
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

export const settings = { ...ofDatabase, ...ofEvents, ...ofMemory, ...ofOracles }

export type Settings = SettingValues<typeof settings>
