/** The delivery of a callback to its FSP as a step of a story. */
import type { Delivery } from '@causeway/protos'
import { maskedOrNull, maskedText } from './domain/mask.ts'
import type { DeliveryStep } from './domain/step.ts'

export function deliveryStep(delivery: Delivery): DeliveryStep {
  const { state } = delivery
  const lastError = maskedOrNull(delivery.lastError)
  const first = delivery.attempts[0]
  return {
    type: 'DELIVERY',
    at: first?.beganAt ?? delivery.takenAt,
    notificationId: delivery.notificationId,
    to: delivery.fspId,
    role: delivery.legRole,
    cause: delivery.cause,
    message: messageOf(delivery),
    state,
    attemptsCount: delivery.attemptsCount,
    attempts: delivery.attempts.map(({ beganAt, durationMs, httpStatus, error }) => ({
      beganAt,
      duration_ms: durationMs,
      httpStatus: httpStatus ?? null,
      error: maskedOrNull(error),
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

function messageOf({ cause, method, url }: Delivery): string {
  return method === undefined ? cause : maskedText([method, url].join(' ').trim())
}
