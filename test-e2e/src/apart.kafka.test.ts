/**
 * A hub whose services run apart, each alone or in groups, makes the same payments, also while processes
 * are killed.
 */
import { openCollector, type Collector } from '@causeway/tracing/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { setTimeout as delay } from 'node:timers/promises'
import { openApartHub, type ApartHub } from './hub/apart.ts'
import { processes } from './hub/hub-host.ts'
import { groupProcessNames, processNames, type ProcessName } from './hub/services.ts'
import type { Fsp } from './fsp/fsp.ts'
import { position } from './operator/operator.ts'
import { agree, lookUp, move, newPhoneNumber, newQuote, own } from './fsp/payment.ts'
import { recordPayment, servicesIn, servicesOfPayment } from './parties/traces.ts'
import { committed, newTransfer, type Transfer, type TransferRequest } from './fsp/transfer.ts'

const between_ms = 200
/** Usually about 100 ms, on a machine that runs the whole hub, Kafka and PostgreSQL. */
const takeover_ms_max = 2_000
const final_ms_max = 180_000

let collector: Collector
let hub: ApartHub
let payer: Fsp
let payee: Fsp
/** Aborts the payments of the running test. */
let ending = new AbortController()

describe.each([
  ['Each service in processes of its own', processNames],
  ['Services in groups', groupProcessNames],
])('%s:', (_layout, names) => {
  beforeAll(async () => {
    collector = await openCollector()
    // Few payments are sampled apart from the one whose trace a test examines.
    const tracing = { TRACES_URL: collector.url, TRACES_SAMPLED_PERCENT: '1' }
    hub = await openApartHub(tracing, processes, names)
    payer = await hub.join('greenbank')
    payee = await hub.join('bluewallet')
  }, 400_000)

  afterEach(() => ending.abort())

  afterAll(async () => {
    const codes = await hub.stop()
    expect(codes).toEqual(names.map(() => 0))
    await collector.stop()
  }, 60_000)

  test('A whole payment is made with certificates and signatures', async () => {
    const before = await position(hub.operator, payer.name)
    const phone = newPhoneNumber()
    await own(payee, phone)
    const found = await lookUp(payer, payee, phone)
    const { transfer } = await agree(payer, payee, newQuote(payer, payee, { payee: found }))
    const callback = await move(payer, payee, transfer)
    expect(callback.json()).toMatchObject({ transferState: 'COMMITTED' })
    expect(await position(hub.operator, payer.name)).toBe(before + 10)
    expect(await hub.verify()).toMatchObject({ clean: true })
  })

  test('A payment whose FSPs propagate its trace is one trace through the processes of all services', async () => {
    const spans = await recordPayment(collector, payer, payee)
    expect(servicesIn(spans)).toEqual(servicesOfPayment)
  })

  test("When its writer is killed, the ledger's standby takes over at once", async () => {
    const payments = payContinuously()
    await payments.further(5)
    const [writer, other] = writerFirst()
    const killed_ms = Date.now()
    await hub.kill(writer)
    const begun_ms = await until(() => {
      const since_ms = writerSince_ms(other)
      return since_ms > killed_ms ? since_ms : undefined
    })
    expect(begun_ms - killed_ms).toBeLessThan(takeover_ms_max)
    await payments.further(10)
    await hub.start(writer)
    expect(writerFirst()[0]).toBe(other)
    await payments.further(10)
    await payments.end()
  }, 400_000)

  test("When its writer is frozen, the ledger's standby takes over at once, and the writer yields when it thaws", async () => {
    const payments = payContinuously()
    await payments.further(5)
    const [writer, other] = writerFirst()
    const frozen_ms = Date.now()
    hub.freeze(writer)
    const begun_ms = await until(() => {
      const since_ms = writerSince_ms(other)
      return since_ms > frozen_ms ? since_ms : undefined
    })
    expect(begun_ms - frozen_ms).toBeLessThan(takeover_ms_max)
    hub.thaw(writer)
    await payments.further(10)
    expect(writerFirst()[0]).toBe(other)
    await payments.end()
  }, 400_000)

  test('No payment fails while each process is restarted in turn', async () => {
    const payments = payContinuously()
    for (const name of names) {
      await payments.further(2)
      await hub.restart(name)
    }
    await payments.further(5)
    expect(await payments.end()).toBe(0)
  }, 400_000)

  test('Every payment ends and the books agree when any process is killed and restarted', async () => {
    const payments = payContinuously()
    for (const name of names) {
      await payments.further(3)
      await hub.kill(name)
      await delay(500)
      await hub.start(name)
      await payments.further(3)
    }
    await payments.end()
    expect(hub.endedByThemselves()).toEqual([])
  }, 600_000)
})

/** When it last became the writer, in ms since 1970; 0: never. */
function writerSince_ms(name: ProcessName): number {
  const line = hub
    .logOf(name)
    .split('\n')
    .findLast((entry) => entry.includes('is now the writer of the ledger'))
  return line === undefined ? 0 : Date.parse((JSON.parse(line) as { time: string }).time)
}

function writerFirst(): readonly [ProcessName, ProcessName] {
  const [one, two] = ['participant-lifecycle', 'participant-lifecycle-2'] as const
  return writerSince_ms(one) > writerSince_ms(two) ? [one, two] : [two, one]
}

async function until<T>(probe: () => T | undefined, timeout_ms = final_ms_max): Promise<T> {
  for (const late_ms = Date.now() + timeout_ms; Date.now() < late_ms; await delay(20)) {
    const found = probe()
    if (found !== undefined) return found
  }
  throw new Error(`no result within ${timeout_ms} ms`)
}

/** Makes payments of 1, a few each second; both FSPs repeat what was not accepted, as FSPs do. */
function payContinuously() {
  const sent = new Map<string, Transfer>()
  const before = payer.received.length
  ending = new AbortController()
  const { signal } = ending
  const start = position(hub.operator, payer.name)

  async function insist(fsp: Fsp, method: string, path: string, body: unknown): Promise<void> {
    for (const late_ms = Date.now() + final_ms_max; Date.now() < late_ms; await delay(100)) {
      const answer = await fsp.send(method, path, body).catch(() => undefined)
      if (answer !== undefined && answer.status < 300) return
    }
    throw new Error(`${method} ${path} was not accepted`)
  }

  payee.answerWith((message) => {
    if (message.method !== 'POST') return 200
    const { transferId } = message.json() as TransferRequest
    const transfer = sent.get(transferId)
    if (transfer !== undefined) {
      insist(payee, 'PUT', `/transfers/${transferId}`, committed(transfer)).catch(() => undefined)
    }
    return 202
  })

  /** The outcome of each transfer that the payer has received; true: committed. */
  function outcomes(): ReadonlyMap<string, boolean> {
    const ends = payer.received.slice(before).filter(({ method }) => method === 'PUT')
    const ofThese = ends.filter(({ path }) => sent.has(path.split('/')[2] ?? ''))
    return new Map(
      ofThese.map(({ path }) => [path.split('/')[2] ?? '', !path.endsWith('/error')] as const),
    )
  }

  const paying = (async () => {
    const under_way: Promise<void>[] = []
    for (; !signal.aborted; await delay(between_ms)) {
      const transfer = newTransfer(payer, payee, { amount: '1', expires_ms: 120_000 })
      sent.set(transfer.transferId, transfer)
      under_way.push(insist(payer, 'POST', '/transfers', transfer.request))
    }
    await Promise.all(under_way)
  })()

  return {
    /** Waits until as many more have been committed. */
    async further(count: number): Promise<void> {
      const committedNow = () => [...outcomes().values()].filter(Boolean).length
      const from = committedNow()
      await until(() => (committedNow() >= from + count ? true : undefined))
    },
    /**
     * Waits until every payment is final, and checks the payer's position and /verify; resolves
     * with the number of payments that failed.
     */
    async end(): Promise<number> {
      ending.abort()
      await paying
      await until(() => (outcomes().size >= sent.size ? true : undefined))
      const paid = [...outcomes().values()].filter(Boolean).length
      expect([...outcomes().keys()].sort()).toEqual([...sent.keys()].sort())
      expect(await position(hub.operator, payer.name)).toBe((await start) + paid)
      expect(await hub.verify()).toMatchObject({ clean: true })
      return sent.size - paid
    },
  }
}
