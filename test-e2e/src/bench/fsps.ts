/**
 * The FSPs of the bench, all in this one process: payers that begin payments by the clock and
 * payees that answer at once. Their CPU time, and the time that they take, are counted separately.
 */
import { randomUUID, type KeyObject } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { listen, openHubLink, type FspServer, type HubLink, type Inbound } from './connections.ts'
import { openPaymentFlow, type PaymentFlow } from './payment-flow.ts'
import {
  failureModeOf,
  isToFailing,
  middleOf,
  phaseAt,
  type Disturbed,
  type Phase,
} from './disturbances.ts'
import { drive } from './drive.ts'
import { openFlood, type Flood, type FloodCounts } from './flood.ts'
import type {
  Command,
  Open,
  OpenedFsp,
  Prepare,
  Probed,
  Report,
  Run,
  RunResult,
} from './messages.ts'
import {
  httpDate,
  newKeys,
  partyOf,
  paymentOf,
  publicPem,
  sign,
  signAhead,
  type Message,
  type Payment,
  type Signing,
} from './payments.ts'
import { pairOf } from './plan.ts'
import { measure, openTimeline, type Timeline } from './timeline.ts'

const now_ms = () => performance.now()

function reportBack(report: Report): void {
  process.send?.(report)
}

function reportFault(error: unknown): void {
  reportBack({ type: 'BROKEN', why: String(error) })
}

/** Receives the messages that belong to no payment. */
const listeners = new Set<(message: Inbound) => void>()
let flow: PaymentFlow | undefined
let opened:
  | {
      readonly command: Open
      readonly keys: readonly KeyObject[]
      readonly servers: readonly FspServer[]
    }
  | undefined
let prepared: Prepared | undefined

interface Prepared {
  readonly command: Prepare
  readonly payments: readonly Payment[]
  readonly signing: Signing | undefined
  readonly link: HubLink
  readonly timeline: Timeline
  readonly flow: PaymentFlow
  readonly flood: Flood | undefined
}

async function open(command: Open): Promise<void> {
  const { names, tls, signed } = command
  const onMessage = (message: Inbound) => {
    if (flow?.take(message) === true) return
    for (const listener of listeners) listener(message)
  }
  const keys = signed === undefined ? [] : await newKeys(signed, names.length)
  const servers = await Promise.all(names.map((_, fsp) => listen(fsp, tls, now_ms, onMessage)))
  const fsps = servers.map(({ url }, fsp): OpenedFsp => {
    const key = keys[fsp]
    return { url, publicKey: key && publicPem(key) }
  })
  opened = { command, keys, servers }
  reportBack({ type: 'OPENED', fsps })
}

/** Makes and signs every message, and registers the parties. */
async function prepare(command: Prepare): Promise<void> {
  if (opened === undefined) throw new Error('the FSPs are not open')
  const { names, tls, signed: algorithm } = opened.command
  const { hubUrl: url, plan, legs, valid_ms } = command
  const now = new Date()
  const date = httpDate(now)
  const ofHub = { url, names, tls, date }
  const link = openHubLink(ofHub)
  const pair = (n: number) => pairOf({ ...command, fsps: names.length }, n)
  const expiration = new Date(now.getTime() + valid_ms)
  const options = { names, legs, now, pairOf: pair, expiration }
  const payments = Array.from({ length: plan.total }, (_, n) => paymentOf(n, options))
  const signing = algorithm && { algorithm, names, date, keys: opened.keys }
  if (signing !== undefined) {
    await signAhead(payments, signing, (done) =>
      reportBack({ type: 'PROGRESS', what: 'signed', done }),
    )
  }
  const timeline = openTimeline(plan.total, legs.length)
  const send = (message: Message) => link.send(message)
  const made = openPaymentFlow({ payments, legs, timeline, send, now_ms })
  const flood =
    command.disturb === 'flood' ? await openFlood(ofHub, names.length - 1, reportFault) : undefined
  prepared = { command, payments, signing, link, timeline, flow: made, flood }
  await link.warm()
  if (legs.includes('lookup')) await associate(prepared, names, pair)
  flow = made
  reportBack({ type: 'PREPARED' })
}

const parties_max = 5_000
const wait_ms_max = 120_000
const pause_ms = 100

/** Each payee FSP registers its parties, in lists. */
async function associate(
  { command, link, signing }: Prepared,
  names: readonly string[],
  pair: (n: number) => readonly [number, number],
): Promise<void> {
  const own: string[][] = names.map(() => [])
  for (let n = 0; n < command.plan.total; n += 1) own[pair(n)[1]]?.push(partyOf(n))
  for (const [from, parties] of own.entries()) {
    for (let first = 0; first < parties.length; first += parties_max) {
      const requestId = randomUUID()
      const message = post(from, 'participants', '/participants', {
        requestId,
        partyList: parties.slice(first, first + parties_max).map((partyIdentifier) => ({
          partyIdType: 'MSISDN',
          partyIdentifier,
          fspId: names[from],
        })),
      })
      if (signing !== undefined) await sign(message, signing)
      const answer = awaitMessage(({ id }) => id === requestId, 'the answer to POST /participants')
      await Promise.all([link.send(message), answer])
      const { isError, body } = await answer
      if (isError || body.includes('errorInformation')) {
        throw new Error(`parties were refused: ${body.toString().slice(0, 1_000)}`)
      }
    }
  }
}

function post(from: number, resource: Message['resource'], path: string, body: object): Message {
  const bytes = Buffer.from(JSON.stringify(body))
  return { from, to: 0, method: 'POST', resource, path, body: bytes, signature: undefined }
}

function awaitMessage(fits: (message: Inbound) => boolean, what: string): Promise<Inbound> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      listeners.delete(listener)
      reject(new Error(`${what} did not arrive within ${wait_ms_max} ms`))
    }, wait_ms_max)
    const listener = (message: Inbound) => {
      if (!fits(message)) return
      clearTimeout(late)
      listeners.delete(listener)
      resolve(message)
    }
    listeners.add(listener)
  })
}

/** Sends messages that the hub must refuse, and makes it send a callback of its own. */
async function probe(): Promise<void> {
  if (prepared === undefined || opened === undefined) throw new Error('nothing is prepared')
  const { payments, link, signing } = prepared
  const transfer = payments[0]?.legs.at(-1)?.request
  if (transfer?.body === undefined) throw new Error('there is no message to change')
  const changed = { ...transfer, body: Buffer.from(transfer.body.toString().replace('"1"', '"2"')) }
  const [other = ''] = opened.command.names.filter((_, fsp) => fsp !== transfer.from)
  const transferId = randomUUID()
  const unknown: Message = {
    from: 0,
    to: 1,
    method: 'GET',
    resource: 'transfers',
    path: `/transfers/${transferId}`,
    body: undefined,
    signature: undefined,
  }
  // With signatures off only the body differs, and the transfer would be made.
  const statusOfChanged = signing === undefined ? 202 : await statusWhenCalm(link, changed)
  const statusOfOther = await statusWhenCalm(link, unknown, other)
  const own = awaitMessage(({ id }) => id === transferId, 'the answer to GET /transfers')
  await Promise.all([sendWhenCalm(link, unknown), own])
  const found: Probed = {
    refusesChangedBody: statusOfChanged === 400,
    refusesOthersName: statusOfOther === 403,
    signsItsOwn: (await own).headers['fspiop-signature'] !== undefined,
  }
  reportBack({ type: 'PROBED', found })
}

/** Right after a load the hub may still be too busy to check a message. */
async function statusWhenCalm(link: HubLink, message: Message, source?: string): Promise<number> {
  for (;;) {
    const status = await link.statusOf(message, source)
    if (status !== 503) return status
    await wait(pause_ms)
  }
}

async function sendWhenCalm(link: HubLink, message: Message): Promise<void> {
  while ((await link.send(message)) === 'BUSY') await wait(pause_ms)
}

async function run(command: Run): Promise<void> {
  if (prepared === undefined) throw new Error('nothing is prepared')
  const { flow: ofPayments, timeline, flood } = prepared
  const { legs } = prepared.command
  let flooded: Promise<FloodCounts> | undefined
  const lateness_ms = await drive(command, {
    flow: ofPayments,
    now_ms,
    onWindow(edge, at_ms) {
      if (edge === 'CLOSED') flooded = flood?.stop()
      reportBack({ type: 'WINDOW', edge, at_ms, committed: ofPayments.committed })
    },
    onMiddle() {
      reportBack({ type: 'MIDDLE' })
      disturb()
    },
    onProgress: (done) => reportBack({ type: 'PROGRESS', what: 'ended', done }),
  })
  const { from, to } = command.measured ?? command.range
  const measured = Array.from({ length: to - from }, (_, n) => from + n)
  const finished = measured.filter((n) => ofPayments.hasCommitted(n))
  const result: RunResult = {
    measured: measure(timeline, finished, legs),
    disturbed: command.measured && disturbedOf(command, finished, await flooded),
    lateness_ms,
    totals: ofPayments.totals(),
  }
  reportBack({ type: 'DONE', result })
}

/** The part of the disturbance that the FSPs carry out. */
function disturb(): void {
  if (prepared === undefined || opened === undefined) return
  const { command, flow: ofPayments, flood } = prepared
  flood?.begin()
  if (command.disturb !== 'ill') return
  ofPayments.expectNoAnswer(isToFailing)
  for (const [fsp, server] of opened.servers.entries()) {
    const failureMode = failureModeOf(fsp)
    if (failureMode !== undefined) server.failAs(failureMode)
  }
}

function disturbedOf(
  { measured, rate }: Run,
  finished: readonly number[],
  flood: FloodCounts | undefined,
): Disturbed | undefined {
  if (prepared === undefined || measured === undefined) return undefined
  const { timeline, command, flow: ofPayments } = prepared
  const { disturb: kind, legs } = command
  if (kind === undefined) return undefined
  const middle = middleOf(measured)
  const isOther = (n: number) => kind !== 'ill' || !isToFailing(n)
  const phaseOf = (n: number) => (n < middle ? 'BEFORE' : phaseAt(kind, (n - middle) / rate))
  const others = finished.filter(isOther)
  const of = (...phases: readonly (Phase | 'BEFORE')[]) =>
    measure(
      timeline,
      others.filter((n) => phases.includes(phaseOf(n))),
      legs,
    ).hub_latency_ms
  return {
    kind,
    before: of('BEFORE'),
    during: of('BEGINS', 'LASTS'),
    firstSecond: of('BEGINS'),
    refused: {
      before: refusedOf(measured.from, middle),
      during: refusedOf(middle, measured.to),
    },
    flood,
  }

  function refusedOf(from: number, to: number): number {
    let refused = 0
    for (let n = from; n < to; n += 1) if (isOther(n) && ofPayments.wasRefused(n)) refused += 1
    return refused
  }
}

function obey(command: Command): Promise<void> {
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
}

process.on('message', (command: Command) => {
  obey(command).catch((error: unknown) => {
    reportBack({
      type: 'BROKEN',
      why: error instanceof Error ? (error.stack ?? '') : String(error),
    })
  })
})
process.on('disconnect', () => process.exit(0))
