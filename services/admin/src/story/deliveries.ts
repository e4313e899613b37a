/** The delivery of a callback to its FSP as a step of a story. */
import { orNull, type Delivery } from '@causeway/protos'
import { maskedText } from '../personal-data/domain/mask.ts'
import type { DeliveryStep } from './domain/step.ts'

export function deliveryStep(delivery: Delivery): DeliveryStep {
  const state = stateOf(delivery.state)
  const lastError = orNull(maskedText(delivery.lastError))
  const first = delivery.attempts[0]
  return {
    type: 'DELIVERY',
    at: first?.beganAt ?? delivery.takenAt,
    notificationId: delivery.notificationId,
    to: delivery.fspId,
    role: delivery.legRole,
    cause: delivery.cause,
    message:
      delivery.method === '' ? delivery.cause : maskedText(`${delivery.method} ${delivery.url}`),
    state,
    attemptsCount: delivery.attemptsCount,
    attempts: delivery.attempts.map(({ beganAt, durationMs, httpStatus, error }) => ({
      beganAt,
      duration_ms: durationMs,
      httpStatus: orNull(httpStatus),
      error: orNull(maskedText(error)),
    })),
    nextAttemptAt: state === 'PARKED' ? delivery.at : null,
    lastError,
    says: deliverySentence(delivery, state, lastError),
  }
}

function deliverySentence(
  { fspId, cause, attemptsCount }: Delivery,
  state: DeliveryStep['state'],
  lastError: string | null,
): string {
  const tries = attemptsCount === 1 ? '1 attempt' : `${attemptsCount} attempts`
  const why = lastError === null ? '' : `: ${lastError}`
  switch (state) {
    case 'DELIVERED':
      return `${fspId} was notified of ${cause} (${tries})`
    case 'PARKED':
      return `${fspId} has not been notified of ${cause} yet, after ${tries}${why}.`
    case 'FAILED':
      return `${fspId} was never notified of ${cause}, after ${tries}${why}.`
  }
}

function stateOf(state: string): DeliveryStep['state'] {
  return state === 'DELIVERED' || state === 'PARKED' ? state : 'FAILED'
}
