/** The messages between a PISP and a DFSP as steps of a story. Pure. */
import type { ThirdPartyRecord, ThirdPartyStep, ThirdPartySummary } from '@causeway/protos'
import { maskedText } from '../personal-data/domain/mask.ts'
import type { MessageStep } from './domain/step.ts'

const paths: Readonly<Record<string, string>> = {
  TRANSACTION: '/thirdpartyRequests/transactions',
  AUTHORIZATION: '/thirdpartyRequests/authorizations',
  VERIFICATION: '/thirdpartyRequests/verifications',
}

export function thirdPartySteps({ steps }: ThirdPartyRecord): readonly MessageStep[] {
  return steps.map(messageStep)
}

function messageStep(step: ThirdPartyStep): MessageStep {
  const { at, about, method, sourceFspId, errorCode, errorDescription } = step
  const path = paths[about] ?? about
  const isError = errorCode !== ''
  const id = method === 'POST' ? '' : isError ? '/{ID}/error' : '/{ID}'
  return {
    type: 'MESSAGE',
    at,
    from: sourceFspId,
    message: `${method} ${path}${id}`,
    refused: null,
    error: isError ? { errorCode, errorDescription: maskedText(errorDescription) } : null,
    says: sentenceOf(step),
  }
}

function sentenceOf(step: ThirdPartyStep): string {
  const { about, method, sourceFspId: from, destinationFspId: to, outcome = '' } = step
  const error = `${step.errorCode} ${maskedText(step.errorDescription)}`.trim()
  const isError = step.errorCode !== ''
  switch (about) {
    case 'AUTHORIZATION':
      if (method === 'POST') return `${from} asks the user of ${to} to sign the terms`
      if (isError) return `${from} ends the authorization: ${error}`
      return outcome === 'REJECTED'
        ? `The user of ${from} rejects the terms`
        : `The user of ${from} has signed the terms`
    case 'VERIFICATION':
      if (method === 'POST') return `${from} asks ${to} to verify the signature`
      if (isError) return `${from} does not accept the signature: ${error}`
      return `${from} answers: the signature is ${outcome}`
    default:
      if (method === 'POST') return `${from} asks ${to} to pay for its user`
      if (isError) return `${from} ends the request: ${error}`
      return method === 'PATCH'
        ? `${from} ends the request as ${outcome}`
        : `${from} answers that the request is ${outcome}`
  }
}

/** The outcome for the PISP, and that messages are archived if they are. */
export function thirdPartyFindings({
  summary,
  archivedMonths,
}: ThirdPartyRecord): readonly string[] {
  if (summary === null) return []
  const months = archivedMonths.join(' and ')
  return [
    findingOf(summary),
    ...(archivedMonths.length === 0
      ? []
      : [
          `What ${summary.pispId} and ${summary.dfspId} sent each other is archived with ${months}: npm run restore puts it back.`,
        ]),
  ]
}

function findingOf(summary: ThirdPartySummary): string {
  const { pispId, dfspId, state, errorCode, errorDescription, endedAt } = summary
  if (state === 'FAILED') {
    const error = `${errorCode} ${maskedText(errorDescription)}`.trim()
    return `${dfspId} reported a failure to ${pispId}: ${error}`
  }
  if (endedAt !== undefined) return `${dfspId} reported ${state} to ${pispId}.`
  return state === 'REQUESTED'
    ? `${dfspId} has not answered ${pispId} yet.`
    : `${dfspId} has reported ${state} to ${pispId}, and no final state yet.`
}
