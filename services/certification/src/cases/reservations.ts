/**
 * After RESERVED: the FSP waits for the hub's PATCH, sends its PUT again when none comes, and does not
 * roll back without ABORTED.
 */
import { decodePacket, readTransaction } from '@causeway/fspiop'
import { type Case, NotRun } from '../case.ts'
import {
  inFuture,
  isTransferAnswer,
  quoted,
  route,
  transferOn,
  transferred,
  type TransferRequest,
} from '../counterparts/payer.ts'
import { describe, type Kit } from '../kit.ts'
import type { ReceivedRequest } from '../peer.ts'
import { at, ensure, is, isAnswer, need } from '../read.ts'

/** A transfer that the FSP answers with RESERVED, and that PUT. */
async function reserved(
  kit: Kit,
  validFor_ms: number,
): Promise<{ readonly transfer: TransferRequest; readonly first: ReceivedRequest }> {
  const { reserveAmount, currency } = kit.settings
  const amount = need(reserveAmount, 'no amount is named that the FSP reserves (--reserve-amount)')
  const terms = await quoted(kit, { amount: { currency, amount } })
  const transfer = transferOn(kit, terms, { expiration: inFuture(validFor_ms) })
  const first = await transferred(kit, transfer)
  const state = at(first.json, 'transferState')
  if (state !== 'RESERVED') {
    throw new NotRun(`the FSP does not use RESERVED: it answered ${describe(first)}`)
  }
  return { transfer, first }
}

/** The state of the transaction at the payee's FSP; undefined: the FSP does not serve it. */
async function transactionState(kit: Kit, transactionId: string): Promise<string | undefined> {
  const path = `/transactions/${transactionId}`
  const seen = new Set(kit.taken)
  const answer = await kit.send({ method: 'GET', path, ...route(kit) })
  if (answer?.status !== 202) return undefined
  const answered = await kit.next(
    (message) => !seen.has(message) && isAnswer(path)(message),
    kit.settings.answer_ms,
  )
  const state = at(answered?.json, 'transactionState')
  return typeof state === 'string' ? state : undefined
}

export const reservations: readonly Case[] = [
  {
    id: 'payee-put-resent',
    title: 'When PATCH does not come after RESERVED, the FSP sends the same PUT again',
    role: 'payee',
    section: 'FSPIOP 6.7.2.6',
    async run(kit) {
      const { settings } = kit
      const { transfer, first } = await reserved(kit, settings.answer_ms + settings.silence_ms)
      const again = await kit.expect(
        'the same PUT /transfers/{ID} again',
        (message) => message !== first && isTransferAnswer(transfer)(message),
        settings.silence_ms,
      )
      ensure(again.body.equals(first.body), describe(first), describe(again))
      await patch(kit, transfer, 'COMMITTED')
    },
  },
  {
    id: 'payee-no-roll-back',
    title: 'Without PATCH the FSP does not roll a reserved transfer back, even after it expired',
    role: 'payee',
    section: 'FSPIOP 6.7.2.6',
    async run(kit) {
      const { transfer } = await reserved(kit, 3 * kit.settings.watch_ms)
      const { transactionId } = transactionOf(transfer)
      const end_ms = Date.parse(String(transfer['expiration']))
      // Nothing is expected until then; an error of the FSP would end the wait.
      await kit.expectNoneUntil(
        'PUT /transfers/{ID}/error without ABORTED',
        is('PUT', `/transfers/${transfer.transferId}/error`),
        end_ms + kit.settings.watch_ms,
      )
      const state = await transactionState(kit, transactionId)
      if (state === undefined) throw new NotRun('the FSP does not serve GET /transactions/{ID}')
      ensure(state !== 'REJECTED', 'a transaction that is not REJECTED', state)
      await patch(kit, transfer, 'COMMITTED')
    },
  },
  {
    id: 'payee-patch-committed',
    title: 'PATCH with COMMITTED completes a reserved transfer',
    role: 'payee',
    section: 'FSPIOP 6.7.2.6, 6.7.3.3',
    run: (kit) => expectAfterPatch(kit, 'COMMITTED', 'COMPLETED'),
  },
  {
    id: 'payee-patch-aborted',
    title: 'PATCH with ABORTED rolls a reserved transfer back',
    role: 'payee',
    section: 'FSPIOP 6.7.2.6, 6.7.3.3',
    run: (kit) => expectAfterPatch(kit, 'ABORTED', 'REJECTED'),
  },
  {
    id: 'payee-unknown-error-code',
    title: 'An error of the hub with an unknown code is accepted',
    role: 'payee',
    section: 'FSPIOP 3.3.2, 7.6',
    async run(kit) {
      const { settings } = kit
      const { transfer } = await reserved(kit, settings.answer_ms + settings.silence_ms)
      const errorInformation = { errorCode: '3399', errorDescription: 'Certification' }
      await kit.sendExpecting(200, {
        method: 'PUT',
        path: `/transfers/${transfer.transferId}/error`,
        from: settings.hubName,
        to: settings.fsp,
        body: { errorInformation },
      })
    },
  },
]

async function expectAfterPatch(
  kit: Kit,
  state: 'COMMITTED' | 'ABORTED',
  expected: string,
): Promise<void> {
  const { settings } = kit
  const { transfer } = await reserved(kit, settings.answer_ms + settings.silence_ms)
  await patch(kit, transfer, state)
  const seen = await transactionState(kit, transactionOf(transfer).transactionId)
  if (seen === undefined) throw new NotRun('the FSP does not serve GET /transactions/{ID}')
  ensure(seen === expected, expected, seen)
}

async function patch(
  kit: Kit,
  { transferId }: TransferRequest,
  transferState: string,
): Promise<void> {
  const { hubName, fsp } = kit.settings
  const completedTimestamp = new Date().toISOString()
  await kit.sendExpecting(200, {
    method: 'PATCH',
    path: `/transfers/${transferId}`,
    from: hubName,
    to: fsp,
    body: { completedTimestamp, transferState },
  })
}

function transactionOf({ ilpPacket }: TransferRequest): { readonly transactionId: string } {
  const reading = readTransaction(decodePacket(String(ilpPacket))?.data ?? Buffer.alloc(0))
  if (!reading.ok) throw new NotRun('the packet of the FSP names no transaction')
  return reading.value
}
