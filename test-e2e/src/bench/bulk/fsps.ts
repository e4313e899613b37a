/**
 * Payer FSP and payee FSP of the bulks, in a process separate from the FSPs of single payments. The
 * payee FSP answers at once, item by item; every message is made and signed ahead.
 */
import type { KeyObject } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { listen, openHubLink, type HubLink, type Inbound } from '../connections.ts'
import type { OpenedFsp } from '../messages.ts'
import { httpDate, newKeys, publicPem, sign, type Message } from '../payments.ts'
import { quantiles } from '../quantiles.ts'
import { bulkOf, type BulkOfBench } from './bodies.ts'
import {
  names,
  type Answer,
  type BulkLeg,
  type Command,
  type Open,
  type Prepare,
  type Result,
  type Run,
} from './messages.ts'

const timeout_ms = 60_000
const pause_ms = 50

const now_ms = () => performance.now()
const reportBack = (answer: Answer) => process.send?.(answer)

let opened: { readonly command: Open; readonly keys: readonly KeyObject[] } | undefined
let link: HubLink | undefined
let bulks: readonly BulkOfBench[] = []
/** By the id of a bulk quote or of a bulk transfer. */
const known = new Map<string, { readonly bulk: BulkOfBench; readonly leg: BulkLeg }>()
/** By the same ids: the function that ends the leg at the payer FSP. */
const waiting = new Map<string, (message: Inbound) => void>()
let busy = 0

async function open(command: Open): Promise<void> {
  const { tls, signed } = command
  const keys = signed === undefined ? [] : await newKeys(signed, names.length)
  const servers = await Promise.all(names.map((_, fsp) => listen(fsp, tls, now_ms, take)))
  opened = { command, keys }
  const fsps = servers.map(({ url }, fsp): OpenedFsp => {
    const key = keys[fsp]
    return { url, publicKey: key && publicPem(key) }
  })
  reportBack({ type: 'OPENED', fsps })
}

async function prepare({ hubUrl: url, bulks: count, items, valid_ms }: Prepare): Promise<void> {
  if (opened === undefined) throw new Error('the FSPs are not open')
  const { command, keys } = opened
  const now = new Date()
  const date = httpDate(now)
  const expiration = new Date(now.getTime() + valid_ms).toISOString()
  link = openHubLink({ url, names, tls: command.tls, date })
  bulks = Array.from({ length: count }, (_, n) => bulkOf(n * items, items, expiration))
  for (const bulk of bulks) {
    for (const leg of ['quote', 'transfer'] as const) {
      const { request, answer } = bulk.legs[leg]
      known.set(idOf(answer), { bulk, leg })
      const { signed: algorithm } = command
      if (algorithm === undefined) continue
      for (const message of [request, answer]) await sign(message, { algorithm, names, date, keys })
    }
  }
  await link.warm()
  reportBack({ type: 'PREPARED' })
}

const idOf = ({ path }: Message) => path.slice(path.lastIndexOf('/') + 1)

/** The payee FSP answers; at the payer FSP the leg has ended. */
function take(message: Inbound): void {
  if (message.method === 'PUT') {
    waiting.get(message.id)?.(message)
    return
  }
  const of = known.get(idIn(message.body))
  if (of === undefined) return
  const { answer } = of.bulk.legs[of.leg]
  send(answer).catch((error: unknown) => fail(idOf(answer), error))
}

/** Bodies begin with their id. */
function idIn(body: Buffer): string {
  const start = body.indexOf('":"') + 3
  return body.toString('latin1', start, start + 36)
}

const broken = new Map<string, string>()

function fail(id: string, error: unknown): void {
  broken.set(id, error instanceof Error ? error.message : String(error))
}

async function send(message: Message): Promise<void> {
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
  const ended = new Promise<Inbound>((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(broken.get(id) ?? `no answer within ${timeout_ms} ms`)),
      timeout_ms,
    )
    waiting.set(id, (message) => {
      clearTimeout(late)
      resolve(message)
    })
  })
  try {
    const [{ body, isError }] = await Promise.all([ended, send(request)])
    if (isError) throw new Error(`PUT /${request.resource}/{ID}/error: ${body.toString()}`)
    const good = goodIn(body, leg)
    if (good !== bulk.items) throw new Error(`${good} items of ${bulk.items} in the ${leg}`)
  } finally {
    waiting.delete(id)
  }
}

function goodIn(body: Buffer, leg: BulkLeg): number {
  const sign = leg === 'quote' ? '"ilpPacket":' : '"fulfilment":'
  return body.toString('latin1').split(sign).length - 1
}

async function run({ legs, from, to, rate }: Run): Promise<void> {
  const latencies: number[] = []
  const failures: Record<string, number> = {}
  busy = 0
  const start_ms = now_ms()
  const flow = async (bulk: BulkOfBench, scheduled_ms: number): Promise<void> => {
    try {
      for (const leg of legs) await pass(bulk, leg)
      latencies.push(now_ms() - scheduled_ms)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      failures[why] = (failures[why] ?? 0) + 1
    }
  }
  const flows: Promise<void>[] = []
  for (const [n, bulk] of bulks.slice(from, to).entries()) {
    if (rate === undefined) {
      await flow(bulk, now_ms())
      continue
    }
    const scheduled_ms = start_ms + (n * 1_000) / rate
    await wait(Math.max(0, scheduled_ms - now_ms()))
    flows.push(flow(bulk, scheduled_ms))
  }
  await Promise.all(flows)
  const result: Result = {
    done: latencies.length,
    failures,
    busy,
    latency_ms: quantiles(latencies),
  }
  reportBack({ type: 'DONE', result })
}

function obey(command: Command): Promise<void> {
  switch (command.type) {
    case 'OPEN':
      return open(command)
    case 'PREPARE':
      return prepare(command)
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
