/**
 * Data of persons in full, which stories and failed deliveries show masked. Each look is on record before
 * it is answered.
 */
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { commands, type Operation } from '../operation.ts'
import { readFacts } from '../story/facts.ts'
import { partyBody } from '../story/bodies.ts'
import { shownParty } from '../story/shapes.ts'
import type { Deps } from '../upstream.ts'

const shownParties = z
  .strictObject({ payer: shownParty, payee: shownParty })
  .meta({ id: 'PartiesInFull' })

const shownAddress = z
  .strictObject({ entityId: z.string(), url: z.string(), lastError: z.string().nullable() })
  .meta({ id: 'DeadLetterInFull' })

const letters_max = 1_000

export function personalDataOperations(deps: Deps): readonly Operation[] {
  return [
    commands(
      'POST',
      '/transfers/:transferId/parties',
      {
        about: 'Payer and payee of a payment with their identifiers in full; each look is audited',
        answers: { 200: shownParties },
        refuses: ['TRANSFER_UNKNOWN', 'TRANSACTION_UNKNOWN'],
      },
      ({ transferId, actor }) => getParties(deps, transferId, actor),
    ),
    commands(
      'POST',
      '/dead-letters/:notificationId/address',
      {
        about: 'Where a dead letter was to go, with identifiers in full; each look is audited',
        answers: { 200: shownAddress },
        refuses: ['DEAD_LETTER_UNKNOWN'],
      },
      ({ notificationId, actor }) => getAddress(deps, notificationId, actor),
    ),
  ]
}

async function getParties(deps: Deps, transferId: string, actor: string): Promise<OperationResult> {
  const facts = await readFacts(deps, transferId)
  if (facts === undefined) return refused('TRANSFER_UNKNOWN', `transfer ${transferId}`)
  const { transaction } = facts
  if (transaction === undefined) {
    return refused('TRANSACTION_UNKNOWN', `the request of ${transferId} is archived or erased`)
  }
  await deps.erasures.RecordDisclosure({ subject: `transfers/${transferId}/parties`, actor })
  return answered(200, {
    payer: partyBody(transaction.payer, (text) => text),
    payee: partyBody(transaction.payee, (text) => text),
  })
}

async function getAddress(deps: Deps, id: string, actor: string): Promise<OperationResult> {
  const { deadLetters } = await deps.notifications.ListDeadLetters({ limit: letters_max })
  const letter = deadLetters.find(({ notificationId }) => notificationId === id)
  if (letter === undefined) return refused('DEAD_LETTER_UNKNOWN', `dead letter ${id}`)
  await deps.erasures.RecordDisclosure({ subject: `dead-letters/${id}/address`, actor })
  const { entityId, url, lastError } = letter
  return answered(200, { entityId, url, lastError: lastError ?? null })
}
