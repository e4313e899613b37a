/**
 * The three commands about a transfer, from the message to the answer: the writer decides them in batches.
 * An unreadable item is answered with FAULT and stores nothing; other items are not affected.
 */
import { parseAmount } from '@causeway/money'
import type { Logger } from '@causeway/process'
import {
  reserveRefusalValues,
  settlementKindValues,
  voidReasonValues,
  type FulfilItem,
  type FulfilItems,
  type LedgerAnswer,
  type LedgerAnswers,
  type PrepareItem,
  type PrepareItems,
  type ReleaseItem,
  type ReleaseItems,
} from '@causeway/protos'
import { positionMessage } from './contract.ts'
import type { CommandAnswer } from './domain/book.ts'
import type { Command, Post, Reserve, Void } from './domain/command.ts'
import { evidence_bytes_max, noEvidence, type Entry, type Settlement } from './domain/entry.ts'
import type { Writer } from './writer.ts'

export interface TransferHandlers {
  ProcessTransferPrepare(request: PrepareItems): Promise<LedgerAnswers>
  ProcessTransferFulfil(request: FulfilItems): Promise<LedgerAnswers>
  ProcessTransferRelease(request: ReleaseItems): Promise<LedgerAnswers>
}

export function transferHandlers(
  { decide }: Pick<Writer, 'decide'>,
  log: Pick<Logger, 'error'>,
): TransferHandlers {
  const unreadable = (id: string) => log.error({ id }, 'ALARM the ledger cannot read an item')
  return {
    ProcessTransferPrepare: async ({ items }) => ({
      answers: await answerAll(items, reserveOf, decide, unreadable),
    }),
    ProcessTransferFulfil: async ({ items }) => ({
      answers: await answerAll(items, postOf, decide, unreadable),
    }),
    ProcessTransferRelease: async ({ items }) => ({
      answers: await answerAll(items, voidOf, decide, unreadable),
    }),
  }
}

const id_length_max = 64
const name_length_max = 32
const currencyPattern = /^[A-Z]{3}$/

/** Undefined when the ledger cannot store the item. */
export function reserveOf(item: PrepareItem): Reserve | undefined {
  const amount = parseAmount(item.amount)
  const expiresAt = timeOf(item.expiresAt)
  const settlement = settlementOf(item)
  const isReadable =
    isId(item.transferId) &&
    isName(item.payerFsp) &&
    isName(item.payeeFsp) &&
    currencyPattern.test(item.currency)
  if (!isReadable || amount === undefined || amount === 0n) return undefined
  if (expiresAt === undefined || settlement === undefined) return undefined
  return {
    type: 'RESERVE',
    id: item.transferId,
    terms: {
      payer: item.payerFsp,
      payee: item.payeeFsp,
      amount,
      currency: item.currency,
    },
    expiresAt,
    settlement,
    payerAccountId: item.payerAccountId ?? null,
    payeeAccountId: item.payeeAccountId ?? null,
    isBulkItem: item.isBulkItem,
  }
}

function postOf(item: FulfilItem): Post | undefined {
  const receivedAt = timeOf(item.receivedAt)
  if (!isId(item.transferId) || receivedAt === undefined || isTooLong(item.evidence)) {
    return undefined
  }
  return { type: 'POST', id: item.transferId, receivedAt, evidence: item.evidence }
}

function voidOf(item: ReleaseItem): Void | undefined {
  const expiresAt = timeOf(item.expiresAt)
  if (!isId(item.transferId) || expiresAt === undefined || isTooLong(item.evidence)) {
    return undefined
  }
  // What a newer caller may send is no reason here.
  if (!voidReasonValues.includes(item.reason)) return undefined
  const { transferId: id, reason, evidence } = item
  return { type: 'VOID', id, expiresAt, reason, evidence }
}

/** Decides the readable items together and answers all in their order. */
async function answerAll<Item extends { readonly transferId: string }>(
  items: readonly Item[],
  commandOf: (item: Item) => Command | undefined,
  decide: (commands: readonly Command[]) => Promise<readonly CommandAnswer[]>,
  onUnreadable: (id: string) => void,
): Promise<LedgerAnswer[]> {
  const commands = items.map(commandOf)
  const answers = await decide(commands.filter((command) => command !== undefined))
  let next = 0
  return items.map(({ transferId }, index) => {
    if (commands[index] !== undefined) return answerMessage(transferId, answers[next++] ?? fault)
    onUnreadable(transferId)
    return answerMessage(transferId, fault)
  })
}

const fault: CommandAnswer = { type: 'FAULT' }

function answerMessage(id: string, answer: CommandAnswer): LedgerAnswer {
  switch (answer.type) {
    case 'ENTRY':
      return {
        transferId: id,
        outcome: answer.entry.outcome,
        ...reasonOf(answer.entry),
        evidence: answer.entry.evidence,
        settlementModelId: answer.entry.settlement?.modelId,
        settles: answer.entry.settlement?.settles,
        windowId: answer.entry.windowId ?? undefined,
        payerPosition: answer.payer && positionMessage(answer.payer),
        payeePosition: answer.payee && positionMessage(answer.payee),
      }
    case 'TOO_EARLY':
      return { ...nothing, transferId: id, outcome: 'TOO_EARLY', retryMs: answer.retry_ms }
    case 'DECLINE':
      throw new Error(`transfer ${id} got a refusal that only funds can get: ${answer.reason}`)
    case 'MISMATCH':
    case 'UNKNOWN':
    case 'FAULT':
      return { ...nothing, transferId: id, outcome: answer.type }
  }
}

const nothing = { evidence: noEvidence, payerPosition: null, payeePosition: null }

/** The reason of a transfer, as the set of its outcome has it. */
function reasonOf({ outcome, reason }: Entry): Pick<LedgerAnswer, 'refusal' | 'voidReason'> {
  return outcome === 'REFUSED'
    ? { refusal: reserveRefusalValues.find((known) => known === reason) }
    : { voidReason: voidReasonValues.find((known) => known === reason) }
}

/** Null: none was allocated. Undefined: unreadable. */
function settlementOf({
  settlementModelId: modelId,
  settles,
}: PrepareItem): Settlement | null | undefined {
  if (modelId === undefined) return null
  return settles === undefined || !settlementKindValues.includes(settles)
    ? undefined
    : { modelId, settles }
}

function timeOf(text: string): Date | undefined {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? undefined : time
}

function isId(id: string): boolean {
  return id.length > 0 && id.length <= id_length_max
}

/** Counted in characters, as fspiop-api and the tables count. */
function isName(name: string): boolean {
  return name.length > 0 && Array.from(name).length <= name_length_max
}

function isTooLong(evidence: Buffer): boolean {
  return evidence.length > evidence_bytes_max
}
