/** The bounds and rules that operators change while the edge runs. */
import { openLiveSettings, type LiveSettings } from '@causeway/live-settings'
import type { ProcessParts } from '@causeway/runtime'
import type { AdmissionBounds } from './load/admission.ts'
import type { CallbackTableRules } from './callback-table.ts'
import type { RateBounds } from './load/rates.ts'
import { schemaVersion, settings as definitions, type FspiopApiSettings } from './settings.ts'

export function openLive(
  values: FspiopApiSettings,
  parts: Pick<ProcessParts, 'bus' | 'grpc' | 'log'>,
): Promise<LiveSettings<FspiopApiSettings>> {
  return openLiveSettings({ service: 'fspiop-api', schemaVersion, definitions, values }, parts)
}

export function admissionBounds(settings: FspiopApiSettings): AdmissionBounds {
  return {
    total_max: settings.FSPIOP_API_IN_FLIGHT_MAX,
    per_fsp_max: settings.FSPIOP_API_IN_FLIGHT_PER_FSP_MAX,
    bytes_max: settings.FSPIOP_API_BODIES_MAX_BYTES,
    bytes_per_fsp_max: settings.FSPIOP_API_BODIES_PER_FSP_MAX_BYTES,
    connections_per_fsp_max: settings.FSPIOP_API_CONNECTIONS_PER_FSP_MAX,
    answers_per_fsp_max: settings.FSPIOP_API_ANSWERS_PER_FSP_MAX,
    answer_bytes_per_fsp_max: settings.FSPIOP_API_ANSWER_BYTES_PER_FSP_MAX,
  }
}

export function rateBounds(live: LiveSettings<FspiopApiSettings>): RateBounds {
  return {
    get per_s() {
      return live.current.FSPIOP_API_RATE_PER_FSP_MAX
    },
    get burst() {
      return live.current.FSPIOP_API_BURST_PER_FSP_MAX
    },
  }
}

export function backlogBounds(live: LiveSettings<FspiopApiSettings>) {
  return {
    get requests_max() {
      return live.current.FSPIOP_API_BULK_BACKLOG_PER_FSP_MAX
    },
  }
}

/** How long delivery is tried. */
export function deliveryTimes(live: LiveSettings<FspiopApiSettings>) {
  return {
    outcome_ms: () => live.current.OUTCOME_RETRY_H * 3_600_000,
    question_ms: () => live.current.FSPIOP_API_QUESTION_RETRY_MS,
    relay_ms: () => live.current.FSPIOP_API_RELAY_RETRY_MS,
  }
}

export function callbackRules(live: LiveSettings<FspiopApiSettings>): CallbackTableRules {
  return {
    get notifyPayeeOnTimeout() {
      return live.current.NOTIFY_PAYEE_ON_TIMEOUT === 'on'
    },
    authService: live.current.AUTH_SERVICE_PARTICIPANT,
  }
}
