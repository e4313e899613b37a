/** Payments as events of the edge: the payer FSP's request, the payee FSP's answer. */
import { newEvent } from '@causeway/events'
import {
  amountToIlp,
  conditionOf,
  encodePacket,
  fulfilmentOf,
  writeTransaction,
} from '@causeway/fspiop'
import { createHash, randomUUID } from 'node:crypto'
import type { AdminWorld } from './world.ts'

export interface TestPayment {
  readonly transferId: string
  readonly payer: string
  readonly payee: string
  readonly amount: string
}

const secret = Buffer.alloc(32, 7)
const version = '1.1'

export function transactionOf({ payer, payee, amount }: TestPayment) {
  const party = (fspId: string, partyIdentifier: string) => ({
    partyIdInfo: { partyIdType: 'MSISDN' as const, partyIdentifier, fspId },
  })
  return {
    transactionId: '3f1c2a90-5b7e-4d21-9c44-0a6be2f1d7c5',
    quoteId: 'b2a7f0d4-1e9c-4f63-8a52-7d40c9e8136b',
    payer: party(payer, '111'),
    payee: party(payee, '222'),
    amount: { amount, currency: 'USD' },
    transactionType: {
      scenario: 'TRANSFER' as const,
      initiator: 'PAYER' as const,
      initiatorType: 'CONSUMER' as const,
    },
  }
}

function packetOf(payment: TestPayment): string {
  const packet = encodePacket({
    amount: amountToIlp(payment.amount, 'USD') ?? 0n,
    address: `g.${payment.payee}.msisdn.222`,
    data: writeTransaction(transactionOf(payment)),
  })
  if (packet === undefined) throw new Error('the packet cannot be written')
  return packet
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

export async function request({ parts }: AdminWorld, payment: TestPayment): Promise<void> {
  const ilpPacket = packetOf(payment)
  const now = Date.now()
  await parts.bus.publish([
    newEvent(
      'fspiop-api',
      'TransferPrepareRequested',
      {
        transferId: payment.transferId,
        payerFsp: payment.payer,
        payeeFsp: payment.payee,
        amount: { amount: payment.amount, currency: 'USD' },
        expiration: new Date(now + 60_000).toISOString(),
        condition: conditionOf(fulfilmentOf(secret, ilpPacket)),
        payloadHash: hashOf(`request ${payment.transferId}`),
        receivedAt: new Date(now).toISOString(),
        version,
      },
      { relay: { body: Buffer.from(JSON.stringify({ ilpPacket })) } },
    ),
  ])
}

export async function fulfil({ parts }: AdminWorld, payment: TestPayment): Promise<void> {
  const now = new Date().toISOString()
  await parts.bus.publish([
    newEvent(
      'fspiop-api',
      'TransferFulfilCommittedRequested',
      {
        transferId: payment.transferId,
        requesterFspId: payment.payee,
        destinationFspId: payment.payer,
        transferState: 'COMMITTED',
        fulfilment: fulfilmentOf(secret, packetOf(payment)),
        completedTimestamp: now,
        notifyPayee: false,
        payloadHash: hashOf(`fulfil ${payment.transferId}`),
        receivedAt: now,
        version,
      },
      { relay: { body: Buffer.from('{}') } },
    ),
  ])
}

export function newPayment(payer: string, payee: string, amount: string): TestPayment {
  return { transferId: randomUUID(), payer, payee, amount }
}
