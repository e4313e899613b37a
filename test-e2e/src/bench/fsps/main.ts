/**
 * The FSPs of the bench, all in this one process: payers that begin payments by the clock and
 * payees that answer at once. Their CPU time, and the time that they take, are counted separately.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Inbound } from '../../fsp/connection.ts'
import { obeyCommands, reportBack } from '../child.ts'
import { pairOf } from '../plan.ts'
import { drive } from './drive.ts'
import { messageOf, openFsps, type HubLink, type BenchMessage, type OpenFsps } from './link.ts'
import type {
  PaymentBenchCommand,
  Open,
  FspsOpened,
  Prepare,
  Probed,
  PaymentBenchReport,
  RunPayments,
  RunResult,
} from './messages.ts'
import { openPaymentFlow, type PaymentFlow } from './payment-flow.ts'
import { partyOf, paymentOf, type PreparedPayment } from './payments.ts'
import { measure, openTimeline, type Timeline } from './timeline.ts'

/** Receives the messages that belong to no payment. */
const listeners = new Set<(message: Inbound) => void>()
let flow: PaymentFlow | undefined
let opened: { readonly names: readonly string[]; readonly fsps: OpenFsps } | undefined
let prepared: Prepared | undefined

interface Prepared {
  readonly command: Prepare
  readonly names: readonly string[]
  readonly payments: readonly PreparedPayment[]
  readonly link: HubLink
  readonly timeline: Timeline
  readonly flow: PaymentFlow
}

const parties_max = 5_000
const wait_ms_max = 120_000
const pause_ms = 100
/** Payments that are signed at the same time, on every core. */
const signed_at_once = 64

async function open(command: Open): Promise<FspsOpened> {
  const fsps = await openFsps(command, (message, at_ms) => {
    if (flow?.take(message, at_ms) === true) return
    for (const listener of listeners) listener(message)
  })
  opened = { names: command.names, fsps }
  return { type: 'OPENED', fsps: fsps.fsps }
}

/** Makes and signs every message, and registers the parties. */
async function prepare(command: Prepare): Promise<PaymentBenchReport> {
  if (opened === undefined) throw new Error('the FSPs are not open')
  const { names, fsps } = opened
  const { hubUrl, total, load, legs, valid_ms } = command
  const link = fsps.connect(hubUrl)
  const pair = (n: number) => pairOf(load, names.length, n)
  const options = { names, legs, pairOf: pair, valid_ms }
  const payments = Array.from({ length: total }, (_, n) => paymentOf(n, options))
  await signAll(payments, link)
  const timeline = openTimeline(total, legs.length)
  const send = (message: BenchMessage) => link.send(message)
  const made = openPaymentFlow({ payments, legs, timeline, send })
  prepared = { command, names, payments, link, timeline, flow: made }
  await link.warm()
  if (legs.includes('lookup')) await associate(prepared, (n) => pair(n)[1])
  flow = made
  return { type: 'PREPARED' }
}

async function signAll(payments: readonly PreparedPayment[], link: HubLink): Promise<void> {
  for (let from = 0; from < payments.length; from += signed_at_once) {
    const some = payments.slice(from, from + signed_at_once)
    const messages = some.flatMap(({ legs }) =>
      legs.flatMap(({ request, answer }) => [request, answer]),
    )
    await Promise.all(messages.map((message) => link.sign(message)))
  }
}

/** Each payee FSP registers its parties, in lists. */
async function associate(
  { command, names, link }: Prepared,
  payeeOf: (n: number) => number,
): Promise<void> {
  const own: string[][] = names.map(() => [])
  for (let n = 0; n < command.total; n += 1) own[payeeOf(n)]?.push(partyOf(n))
  for (const [from, parties] of own.entries()) {
    for (let first = 0; first < parties.length; first += parties_max) {
      const requestId = randomUUID()
      const path = '/participants'
      const message = messageOf(
        { from, to: undefined, method: 'POST', path },
        {
          requestId,
          partyList: parties.slice(first, first + parties_max).map((partyIdentifier) => ({
            partyIdType: 'MSISDN',
            partyIdentifier,
            fspId: names[from],
          })),
        },
      )
      await link.sign(message)
      const answer = awaitMessage(requestId, 'the answer to POST /participants')
      await Promise.all([link.send(message), answer])
      const { path: answered, body } = await answer
      if (answered.endsWith('/error') || body.includes('errorInformation')) {
        throw new Error(`parties were refused: ${body.toString().slice(0, 1_000)}`)
      }
    }
  }
}

/** The next message whose path has the id. */
function awaitMessage(id: string, what: string): Promise<Inbound> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      listeners.delete(listener)
      reject(new Error(`${what} did not arrive within ${wait_ms_max} ms`))
    }, wait_ms_max)
    const listener = (message: Inbound) => {
      if (!message.path.includes(id)) return
      clearTimeout(late)
      listeners.delete(listener)
      resolve(message)
    }
    listeners.add(listener)
  })
}

/** Sends messages that the hub must refuse, and makes it send a callback of its own. */
async function probe(): Promise<PaymentBenchReport> {
  if (prepared === undefined) throw new Error('nothing is prepared')
  const { names, payments, link } = prepared
  const transfer = payments[0]?.legs.at(-1)?.request
  if (transfer?.body === undefined) throw new Error('there is no message to change')
  const changed = { ...transfer, body: Buffer.from(transfer.body.toString().replace('"1"', '"2"')) }
  const other = names.find((_, fsp) => fsp !== transfer.from)
  const transferId = randomUUID()
  const path = `/transfers/${transferId}`
  const unknown = messageOf({ from: 0, to: 1, method: 'GET', path })
  const statusOfChanged = await statusWhenCalm(link, changed)
  const statusOfOther = await statusWhenCalm(link, { ...unknown, from: transfer.from }, other)
  const own = awaitMessage(transferId, 'the answer to GET /transfers')
  await Promise.all([statusWhenCalm(link, unknown), own])
  const found: Probed = {
    refusesChangedBody: statusOfChanged === 400,
    refusesOthersName: statusOfOther === 403,
    signsItsOwn: (await own).headers['fspiop-signature'] !== undefined,
  }
  return { type: 'PROBED', found }
}

/** Right after a load the hub may still be too busy to check a message. */
async function statusWhenCalm(
  link: HubLink,
  message: BenchMessage,
  source?: string,
): Promise<number> {
  for (;;) {
    const status = await link.statusOf(message, source)
    if (status !== 503) return status
    await wait(pause_ms)
  }
}

async function run(command: RunPayments): Promise<PaymentBenchReport> {
  if (prepared === undefined) throw new Error('nothing is prepared')
  const { flow: ofPayments, timeline } = prepared
  const lateness_ms = await drive(command, {
    flow: ofPayments,
    onWindow: (edge, at_ms) =>
      reportBack({
        type: 'WINDOW',
        edge,
        at_ms,
        committed: ofPayments.committed,
      } satisfies PaymentBenchReport),
  })
  const { from, to } = command.measured ?? command.range
  const measured = Array.from({ length: to - from }, (_, n) => from + n)
  const finished = measured.filter((n) => ofPayments.hasCommitted(n))
  const result: RunResult = {
    measured: measure(timeline, finished, prepared.command.legs),
    lateness_ms,
    totals: ofPayments.totals(),
  }
  return { type: 'DONE', result }
}

obeyCommands<PaymentBenchCommand, PaymentBenchReport>((command) => {
  switch (command.type) {
    case 'OPEN':
      return open(command)
    case 'PREPARE':
      return prepare(command)
    case 'PROBE':
      return probe()
    case 'RUN':
      return run(command)
  }
})
