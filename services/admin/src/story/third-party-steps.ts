/** The messages between a PISP and a DFSP as steps of a story. Pure. */
import type {
  ThirdPartyRecord,
  ThirdPartyStep,
  ThirdPartyStepSubject,
  ThirdPartySummary,
} from '@causeway/protos'
import { maskedText } from './domain/mask.ts'
import type { MessageStep } from './domain/step.ts'

const paths: Readonly<Record<ThirdPartyStepSubject, string>> = {
  TRANSACTION: '/thirdpartyRequests/transactions',
  AUTHORIZATION: '/thirdpartyRequests/authorizations',
  VERIFICATION: '/thirdpartyRequests/verifications',
}

export function thirdPartySteps({ steps }: ThirdPartyRecord): readonly MessageStep[] {
  return steps.map(messageStep)
}

function messageStep(step: ThirdPartyStep): MessageStep {
  const { at, about, method, sourceFspId, errorCode, errorDescription = '' } = step
  const id = method === 'POST' ? '' : errorCode === undefined ? '/{ID}' : '/{ID}/error'
  return {
    type: 'MESSAGE',
    at,
    from: sourceFspId,
    message: `${method} ${paths[about]}${id}`,
    refused: null,
    error:
      errorCode === undefined
        ? null
        : { errorCode, errorDescription: maskedText(errorDescription) },
    says: sentenceOf(step),
  }
}

function sentenceOf(step: ThirdPartyStep): string {
  const { about, method, sourceFspId: from, destinationFspId: to, result = '' } = step
  const isError = step.errorCode !== undefined
  const error = errorText(step)
  switch (about) {
    case 'AUTHORIZATION':
      if (method === 'POST') return `${from} asks the user of ${to} to sign the terms`
      if (isError) return `${from} ends the authorization: ${error}`
      return result === 'REJECTED'
        ? `The user of ${from} rejects the terms`
        : `The user of ${from} has signed the terms`
    case 'VERIFICATION':
      if (method === 'POST') return `${from} asks ${to} to verify the signature`
      if (isError) return `${from} does not accept the signature: ${error}`
      return `${from} answers: the signature is ${result}`
    case 'TRANSACTION':
      if (method === 'POST') return `${from} asks ${to} to pay for its user`
      if (isError) return `${from} ends the request: ${error}`
      return method === 'PATCH'
        ? `${from} ends the request as ${result}`
        : `${from} answers that the request is ${result}`
  }
}

function errorText({
  errorCode = '',
  errorDescription = '',
}: Pick<ThirdPartyStep, 'errorCode' | 'errorDescription'>): string {
  return `${errorCode} ${maskedText(errorDescription)}`.trim()
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
  const { pispId, dfspId, state, endedAt } = summary
  if (state === 'FAILED') return `${dfspId} reported a failure to ${pispId}: ${errorText(summary)}`
  if (endedAt !== undefined) return `${dfspId} reported ${state} to ${pispId}.`
  return state === 'REQUESTED'
    ? `${dfspId} has not answered ${pispId} yet.`
    : `${dfspId} has reported ${state} to ${pispId}, and no final state yet.`
}
