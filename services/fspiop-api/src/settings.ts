/** Every setting of the FSP edge. */
import { choice, integer, text, type SettingValues } from '@causeway/runtime'

export const settings = {
  FSP_PORT: integer({
    about: 'the API for FSPs',
    unit: 'port',
    default: 4_000,
    min: 0,
    max: 65_535,
  }),
  FSP_HOST: text({
    about: 'address that the API for FSPs listens on; 127.0.0.1 is this machine alone',
    default: '127.0.0.1',
  }),
  EDGE_IDENTITY: choice({
    about: 'how FSPs say who they are; header: whoever reaches the port is who FSPIOP-Source says',
    options: ['header'],
    default: 'header',
  }),
  JWS_VERIFY: choice({
    about: 'whether signatures of FSPs are verified; off: they are relayed unread',
    options: ['off'],
    default: 'off',
  }),
  JWS_SIGN: choice({
    about: 'whether messages that the hub makes are signed',
    options: ['off'],
    default: 'off',
  }),
  HUB_NAME: text({ about: 'name of the hub as a participant', default: 'Hub' }),
  COMPATIBILITY: choice({
    about: 'whose answers are given where the specification and Mojaloop differ',
    options: ['specification', 'mojaloop'],
    default: 'specification',
  }),
  ON_US_TRANSFERS: choice({
    about: 'whether payer and payee FSP of a transfer may be the same',
    options: ['off', 'on'],
    default: 'off',
  }),
  NOTIFY_PAYEE_ON_TIMEOUT: choice({
    about: 'whether the payee FSP too is told that a reserved transfer has expired',
    options: ['on', 'off'],
    default: 'on',
  }),
  OUTCOME_RETRY_H: integer({
    about: 'how long an FSP is tried to be told how its money ended',
    unit: 'h',
    default: 24,
    min: 1,
    max: 720,
  }),
  COMPLETED_TIMESTAMP_AHEAD_MS: integer({
    about: 'with COMPATIBILITY=mojaloop: how far completedTimestamp may lie in the future',
    unit: 'ms',
    default: 200,
    min: 0,
    max: 86_400_000,
  }),
  COMPLETED_TIMESTAMP_BEHIND_MS: integer({
    about: 'with COMPATIBILITY=mojaloop: how far completedTimestamp may lie in the past',
    unit: 'ms',
    default: 300_000,
    min: 0,
    max: 86_400_000,
  }),
  FSPIOP_API_IN_FLIGHT_MAX: integer({
    about: 'requests at work; beyond it POST and GET are refused, GET from half of it on',
    unit: 'requests',
    default: 2_000,
    min: 1,
    max: 100_000,
  }),
  FSPIOP_API_IN_FLIGHT_PER_FSP_MAX: integer({
    about: 'the same for one FSP',
    unit: 'requests',
    default: 1_000,
    min: 1,
    max: 100_000,
  }),
  FSPIOP_API_BODIES_MAX_BYTES: integer({
    about: 'bodies of the requests at work; beyond it POST and GET are refused',
    unit: 'bytes',
    default: 268_435_456,
    min: 5_242_880,
    max: 8_589_934_592,
  }),
  FSPIOP_API_PUBLISH_TIMEOUT_MS: integer({
    about: 'how long a request may wait until it is durable, before it is refused',
    unit: 'ms',
    default: 5_000,
    min: 100,
    max: 60_000,
  }),
  FSPIOP_API_PARTICIPANT_AGE_MAX_MS: integer({
    about: 'how long what is known of participants serves, even when no change is heard of',
    unit: 'ms',
    default: 60_000,
    min: 100,
    max: 3_600_000,
  }),
} as const

export type Settings = SettingValues<typeof settings>
