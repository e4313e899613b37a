/**
 * Payer FSP and payee FSP of the bulks, in a process separate from the FSPs of single payments. The
 * payee FSP answers at once, item by item; every message is made and signed ahead.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Inbound } from '../../fsp/connection.ts'
import { bulkOf, paid } from '../../fsp/bulk.ts'
import { obeyCommands } from '../child.ts'
import {
  idIn,
  messageOf,
  openFsps,
  type HubLink,
  type BenchMessage,
  type OpenFsps,
} from '../fsps/link.ts'
import { agreementOf } from '../fsps/payments.ts'
import { passAll } from '../pace.ts'
import {
  bulkLegs,
  names,
  type BulkBenchReport,
  type BulkLeg,
  type BulkBenchCommand,
  type Prepare,
  type RunBulks,
} from './messages.ts'

interface BulkOfBench {
  readonly items: number
  readonly legs: Readonly<
    Record<BulkLeg, { readonly request: BenchMessage; readonly answer: BenchMessage }>
  >
}

interface LegWaiter {
  readonly resolve: (message: Inbound) => void
  readonly reject: (reason: unknown) => void
}

const [payer, payee] = names.map((name) => ({ name })) as [{ name: string }, { name: string }]
const timeout_ms = 60_000
const pause_ms = 50

let opened: OpenFsps | undefined
let link: HubLink | undefined
let bulks: readonly BulkOfBench[] = []
/** By the id of a bulk quote or of a bulk transfer. */
const known = new Map<string, { readonly bulk: BulkOfBench; readonly leg: BulkLeg }>()
/** By the same ids: how the leg ends at the payer FSP. */
const waiting = new Map<string, LegWaiter>()
let busy = 0

async function prepare({
  hubUrl,
  bulks: count,
  items,
  valid_ms,
}: Prepare): Promise<BulkBenchReport> {
  if (opened === undefined) throw new Error('the FSPs are not open')
  link = opened.connect(hubUrl)
  bulks = Array.from({ length: count }, (_, n) => bulkOfBench(n * items, items, valid_ms))
  for (const bulk of bulks) {
    for (const leg of bulkLegs) {
      const { request, answer } = bulk.legs[leg]
      known.set(idOf(answer), { bulk, leg })
      for (const message of [request, answer]) await link.sign(message)
    }
  }
  await link.warm()
  return { type: 'PREPARED' }
}

/** @param first the number of its first item among the items of all bulks */
function bulkOfBench(first: number, items: number, valid_ms: number): BulkOfBench {
  const all = Array.from({ length: items }, (_, n) =>
    agreementOf(first + n, payer, payee, valid_ms),
  )
  const transfers = all.map(({ transfer }) => transfer)
  const { bulkTransferId, request } = bulkOf(payer, payee, transfers, valid_ms)
  const { bulkQuoteId, expiration } = request
  const [someone] = all
  const post = (path: string, body: object) =>
    messageOf({ from: 0, to: 1, method: 'POST', path }, body)
  const put = (path: string, body: object) =>
    messageOf({ from: 1, to: 0, method: 'PUT', path }, body)
  return {
    items,
    legs: {
      quote: {
        request: post('/bulkQuotes', {
          bulkQuoteId,
          payer: someone?.quote.payer,
          individualQuotes: all.map(({ quote }) => ({
            ...quote,
            payer: undefined,
            expiration: undefined,
          })),
          expiration,
        }),
        answer: put(`/bulkQuotes/${bulkQuoteId}`, {
          individualQuoteResults: all.map(({ quote: { quoteId }, response }) => ({
            quoteId,
            ...response,
            expiration: undefined,
          })),
          expiration,
        }),
      },
      transfer: {
        request: post('/bulkTransfers', request),
        answer: put(`/bulkTransfers/${bulkTransferId}`, paid(transfers)),
      },
    },
  }
}

const idOf = ({ path }: BenchMessage) => path.slice(path.lastIndexOf('/') + 1)

/** The payee FSP answers; at the payer FSP the leg has ended. */
function take(message: Inbound): void {
  if (message.method === 'PUT') {
    waiting.get(message.path.split('/')[2] ?? '')?.resolve(message)
    return
  }
  const of = known.get(idIn(message.body))
  if (of === undefined) return
  const { answer } = of.bulk.legs[of.leg]
  send(answer).catch((error: unknown) => waiting.get(idOf(answer))?.reject(error))
}

async function send(message: BenchMessage): Promise<void> {
  if (link === undefined) throw new Error('nothing is prepared')
  while ((await link.send(message)) === 'BUSY') {
    busy += 1
    await wait(pause_ms)
  }
}

/** Resolves when the payer FSP has the result; rejects with any other callback that it receives. */
async function pass(bulk: BulkOfBench, leg: BulkLeg): Promise<void> {
  const { request, answer } = bulk.legs[leg]
  const id = idOf(answer)
  const result = new Promise<Inbound>((resolve, reject) => waiting.set(id, { resolve, reject }))
  const late = setTimeout(() => {
    waiting.get(id)?.reject(new Error(`no answer within ${timeout_ms} ms`))
  }, timeout_ms)
  try {
    const [{ path, body }] = await Promise.all([result, send(request)])
    if (path.endsWith('/error'))
      throw new Error(`PUT ${request.path}/{ID}/error: ${body.toString()}`)
    const good = goodIn(body, leg)
    if (good !== bulk.items) throw new Error(`${good} items of ${bulk.items} in the ${leg}`)
  } finally {
    clearTimeout(late)
    waiting.delete(id)
  }
}

function goodIn(body: Buffer, leg: BulkLeg): number {
  const sign = leg === 'quote' ? '"ilpPacket":' : '"fulfilment":'
  return body.toString('latin1').split(sign).length - 1
}

async function run({ legs, from, to, rate }: RunBulks): Promise<BulkBenchReport> {
  busy = 0
  const passed = await passAll(to - from, rate, async (n) => {
    const bulk = bulks[from + n]
    if (bulk === undefined) throw new Error('there is no such bulk')
    for (const leg of legs) await pass(bulk, leg)
  })
  return { type: 'DONE', result: { ...passed, busy } }
}

obeyCommands<BulkBenchCommand, BulkBenchReport>(async (command) => {
  switch (command.type) {
    case 'OPEN':
      opened = await openFsps(command, take)
      return { type: 'OPENED', fsps: opened.fsps }
    case 'PREPARE':
      return prepare(command)
    case 'RUN':
      return run(command)
  }
})
