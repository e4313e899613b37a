/** The transaction of two FSPs, read from the ILP packet of the transfer that paid it. */
import { decodePacket, readTransaction } from '@causeway/fspiop'
import { z } from 'zod'
import { answered, refused, type OperationResult } from './answer.ts'
import type { Json } from './json.ts'
import { reads, type Operation } from './operation.ts'
import type { Deps } from './upstream.ts'

const shownParty = z.looseObject({
  partyIdInfo: z.looseObject({ partyIdType: z.string(), partyIdentifier: z.string() }),
})

/** As the FSPs wrote it, including other members; FSPIOP 7.4 (Transaction). */
const shownTransaction = z
  .looseObject({
    transactionId: z.string(),
    quoteId: z.string(),
    transactionRequestId: z.string().optional(),
    payee: shownParty,
    payer: shownParty,
    amount: z.looseObject({ amount: z.string(), currency: z.string() }),
    transactionType: z.looseObject({
      scenario: z.string(),
      initiator: z.string(),
      initiatorType: z.string(),
    }),
    note: z.string().optional(),
  })
  .meta({ id: 'Transaction' })

export function transactionOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/transactions/:transferId',
      {
        about: 'The transaction of payer and payee FSP, from the ILP packet of a transfer',
        answers: { 200: shownTransaction },
        refuses: ['TRANSACTION_UNKNOWN'],
      },
      ({ transferId }) => getTransaction(deps, transferId),
    ),
  ]
}

/** The hub relays packets that it cannot read, so not every transfer shows a transaction. */
async function getTransaction(deps: Deps, transferId: string): Promise<OperationResult> {
  const { ilpPacket } = await deps.transfers.GetTransferPacket({ id: transferId })
  if (ilpPacket === undefined) {
    return refused('TRANSACTION_UNKNOWN', `transfer ${transferId} not found`)
  }
  const packet = decodePacket(ilpPacket)
  const reading = packet && readTransaction(packet.data)
  if (!reading?.ok) return refused('TRANSACTION_UNKNOWN', 'the packet holds no transaction')
  return answered(200, reading.value as Json)
}
