/**
 * The hub is killed again and again during payments. It loses nothing that it has accepted: more
 * than half of the payments are made, every transfer becomes final, and both FSPs receive the state
 * that the hub has stored.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Fsp, Received } from './fsp/fsp.ts'
import { answered, position } from './operator/operator.ts'
import { openSchemeOfFsps, type OwnScheme } from './hub/scheme.ts'
import { committed, newTransfer, type Transfer, type TransferRequest } from './fsp/transfer.ts'

/** KILLS=50 searches longer than a test run should; SEED repeats the pauses of an earlier run. */
const kills = Number(process.env['KILLS'] ?? 4)
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const per_second = 60
/** The payer pauses at this number, so that a busy machine is not overloaded. */
const unfinished_max = 60
/** Each run of the hub lasts until this number of payments more is made, and a moment. */
const made_each_life = 20
/** A transfer outlives several restarts of the hub. */
const expires_ms = 60_000
const final_ms_max = 150_000

let scheme: OwnScheme
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  scheme = await openSchemeOfFsps({ CALLBACK_TIMEOUT_MS: '2000' })
  payer = await scheme.join('greenbank', { funds: '1000000', netDebitCap: '1000000' })
  payee = await scheme.join('bluewallet')
})

afterAll(() => scheme.stop())

/**
 * A small repeatable random sequence: a test that fails prints the seed that makes it fail again.
 */
function chance(from: number): () => number {
  let state = from
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

function transferIdOf({ path }: Received): string {
  return path.split('/')[2] ?? ''
}

test(`${kills} kills under load lose, duplicate or leave open no payment`, async () => {
  const next = chance(seed)
  const sent = new Map<string, Transfer>()
  const answers = new Map<string, object>()
  const accepted = new Set<string>()
  let unanswered = 0
  let running = true

  payee.answerWith((message) => {
    if (message.method !== 'POST') return 200
    const { transferId } = message.json() as TransferRequest
    const transfer = sent.get(transferId)
    if (transfer === undefined)
      throw new Error(`the payee was sent ${transferId}, which no FSP sent`)
    void answer(transfer)
    return 202
  })

  /**
   * Repeats as an FSP does until the hub has accepted it, and answers a repeated request with the
   * same bytes.
   */
  async function answer(transfer: Transfer): Promise<void> {
    const path = `/transfers/${transfer.transferId}`
    const body = answers.get(transfer.transferId) ?? committed(transfer)
    answers.set(transfer.transferId, body)
    for (;;) {
      const response = await payee.send('PUT', path, body).catch(() => undefined)
      if (response?.status === 200) return
      await delay(50)
    }
  }

  async function pay(): Promise<void> {
    const transfer = newTransfer(payer, payee, { amount: '1', expires_ms })
    sent.set(transfer.transferId, transfer)
    unanswered += 1
    const response = await payer.send('POST', '/transfers', transfer.request).catch(() => undefined)
    unanswered -= 1
    if (response?.status === 202) accepted.add(transfer.transferId)
  }

  async function payOnAndOn(): Promise<void> {
    while (running) {
      const unfinished = unanswered + missing(accepted, outcomesAt(payer)).length
      if (unfinished < unfinished_max) void pay()
      await delay(1_000 / per_second)
    }
  }

  const paying = payOnAndOn()
  for (let n = 0; n < kills; n += 1) {
    await makeMore()
    await delay(next() * 1_900)
    await scheme.killAndRestart()
  }
  await makeMore()
  running = false
  await paying

  await waitUntil(
    () => missing(accepted, outcomesAt(payer)).length === 0,
    () => `accepted without an outcome: ${missing(accepted, outcomesAt(payer)).join(', ')}`,
  )
  // A message that a kill left unanswered may have been accepted as well; it ends a little later.
  await waitUntil(
    async () => isDeepStrictEqual(await statesOf(payer), outcomesAt(payer)),
    () => 'the stored states differ from those that the payer FSP received',
  )
  await waitUntil(
    () => missing(reservedAndAborted(), failuresAt(payee)).length === 0,
    () => 'the payee FSP has not received the end of a transfer that it was sent',
  )

  const committedIds = committedAt(payer)
  expect(committedIds.filter((id) => accepted.has(id)).length).toBeGreaterThan(accepted.size / 2)
  expect(missing(committedIds, requestsAt(payee))).toEqual([])
  expect(committedIds.filter((id) => failuresAt(payee).has(id))).toEqual([])
  expect(contradictions(payer)).toEqual([])
  expect(await position(scheme.operator, payer.name)).toBe(committedIds.length)
  expect(await position(scheme.operator, payee.name)).toBe(-committedIds.length)
  expect(await scheme.verify()).toMatchObject({ clean: true, differences: [] })

  async function makeMore(): Promise<void> {
    const made = committedAt(payer).length
    await waitUntil(
      () => committedAt(payer).length >= made + made_each_life,
      () => `after a start the hub made not even ${made_each_life} payments`,
    )
  }

  /** Transfers that the payee FSP was sent and that failed. */
  function reservedAndAborted(): readonly string[] {
    const ends = outcomesAt(payer)
    return [...requestsAt(payee)].filter((id) => ends.get(id) === 'ABORTED')
  }
}, 600_000)

/** The outcome that the FSP received, by transfer. */
function outcomesAt(fsp: Fsp): ReadonlyMap<string, string> {
  const ends = fsp.received.filter(({ method }) => method === 'PUT')
  return new Map(ends.map((message) => [transferIdOf(message), endOf(message)]))
}

function endOf({ path }: Received): 'COMMITTED' | 'ABORTED' {
  return path.endsWith('/error') ? 'ABORTED' : 'COMMITTED'
}

function committedAt(fsp: Fsp): readonly string[] {
  return [...outcomesAt(fsp)].filter(([, state]) => state === 'COMMITTED').map(([id]) => id)
}

function failuresAt(fsp: Fsp): ReadonlyMap<string, string> {
  return new Map([...outcomesAt(fsp)].filter(([, end]) => end === 'ABORTED'))
}

/** The transfers that the FSP was sent. */
function requestsAt(fsp: Fsp): ReadonlySet<string> {
  const requests = fsp.received.filter(({ method }) => method === 'POST')
  return new Set(requests.map((message) => (message.json() as TransferRequest).transferId))
}

function missing(ids: Iterable<string>, among: { has(id: string): boolean }): readonly string[] {
  return [...ids].filter((id) => !among.has(id))
}

interface TransferPage {
  readonly transfers: readonly { readonly transferId: string; readonly state: string }[]
  readonly next: string | null
}

/** The state that the operator sees, by transfer. */
async function statesOf(fsp: Fsp): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>()
  for (let after: string | null = ''; after !== null;) {
    const query = `fspId=${fsp.name}&limit=200${after === '' ? '' : `&after=${after}`}`
    const page = scheme.operator.call('GET', `/transfers?${query}`)
    const { transfers, next }: TransferPage = await answered<TransferPage>(page)
    for (const { transferId, state } of transfers) states.set(transferId, state)
    after = next
  }
  return states
}

/** Transfers whose commit and failure the FSP both received. */
function contradictions(fsp: Fsp): readonly string[] {
  const ends = fsp.received.filter(({ method }) => method === 'PUT')
  const failed = new Set(ends.filter(({ path }) => path.endsWith('/error')).map(transferIdOf))
  return ends
    .filter(({ path }) => !path.endsWith('/error'))
    .map(transferIdOf)
    .filter((id) => failed.has(id))
}

async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  otherwise: () => string,
): Promise<void> {
  const late = Date.now() + final_ms_max
  while (!(await condition())) {
    if (Date.now() > late) throw new Error(`seed ${seed}: ${otherwise()}`)
    await delay(200)
  }
}
