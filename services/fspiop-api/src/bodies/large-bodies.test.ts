import { readdir } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { afterAll, describe, expect, test } from '@jest/globals'
import type { Digestible } from '../digests.ts'
import { digestReading, openLargeBodies } from './large-bodies.ts'
import { bulkQuoteAnswer, bulkQuoteRequest } from '../testing/bulk-messages.ts'
import { id } from '../testing/messages.ts'

const faults: string[] = []
const log = { error: (outcome: { readonly err: Error }) => void faults.push(outcome.err.message) }
const atOnce = openLargeBodies({ bytes_min: Infinity, log: log as never })
const threaded = openLargeBodies({ bytes_min: 0, log: log as never })
afterAll(() => threaded.stop())

function messageOf(json: object, changes: Partial<Digestible> = {}): Digestible {
  return {
    source: 'greenbank',
    destination: 'bluewallet',
    version: '1.1',
    body: Buffer.from(JSON.stringify(json)),
    encrypted: [],
    receivedAt: '2026-11-21T10:00:00.000Z',
    compatibility: 'specification',
    decimals: undefined,
    ...changes,
  }
}

test('Bodies below the bound are read at once, larger ones in the other thread', async () => {
  const body = Buffer.from(JSON.stringify(bulkQuoteRequest(2)))
  const bodies = openLargeBodies({ bytes_min: body.length, log: log as never })
  const small = { ...messageOf({}), body: body.subarray(1) }
  expect(bodies.digest('POST /bulkQuotes', small)).toMatchObject({ ok: false, code: '3101' })
  const large = bodies.digest('POST /bulkQuotes', { ...small, body })
  expect(large).toBeInstanceOf(Promise)
  expect(await large).toMatchObject({ ok: true, payload: { individualQuotes: [{}, {}] } })
  await bodies.stop()
})

const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('The other thread, and no other of the process, has a lower priority', async () => {
  const before = await priorities()
  const bodies = openLargeBodies({ log: log as never })
  await bodies.begin()
  const after = await priorities()
  expect(after.filter((each) => each > 0).length).toBe(before.filter((each) => each > 0).length + 1)
  expect(after[0]).toBe(before[0])
  await bodies.stop()
})

/** Of each thread of this process, the main thread first: 0 is the usual one, 19 the lowest. */
async function priorities(): Promise<readonly number[]> {
  const threads = (await readdir('/proc/self/task')).map(Number)
  const others = threads.filter((thread) => thread !== process.pid)
  return [process.pid, ...others].map((thread) => getPriority(thread))
}

describe('Parsing in the other thread', () => {
  test.each([
    ['a request of 1,000 items', 'POST /bulkQuotes', bulkQuoteRequest(1_000), {}],
    ['an answer of 1,000 items', 'PUT /bulkQuotes/{ID}', bulkQuoteAnswer(1_000), {}],
    ['a fault', 'POST /bulkQuotes', { ...bulkQuoteRequest(1), bulkQuoteId: 'x' }, {}],
    [
      'an encrypted field of an item',
      'POST /bulkQuotes',
      {
        ...bulkQuoteRequest(1),
        individualQuotes: [{ ...itemOf(bulkQuoteRequest(1)), payee: 'c' }],
      },
      { encrypted: [['individualQuotes', '0', 'payee']] },
    ],
    [
      'codes of other hubs',
      'POST /bulkQuotes',
      { bulkQuoteId: id, payer: 5 },
      {
        compatibility: 'mojaloop',
      },
    ],
  ] as const)('%s is read as it is at once', async (_, operation, json, changes) => {
    const message = messageOf(json, changes)
    expect(await threaded.digest(operation, message)).toEqual(atOnce.digest(operation, message))
  })

  test('Each message receives its own result, however many are in progress', async () => {
    const counts = [3, 200, 1, 50, 2]
    const digests = await Promise.all(
      counts.map(async (count) =>
        threaded.digest('POST /bulkQuotes', messageOf(bulkQuoteRequest(count))),
      ),
    )
    const read = digests.map((digest) => (digest.ok ? digest.payload.individualQuotes.length : 0))
    expect(read).toEqual(counts)
  })

  test('A message that makes the digest throw fails alone', async () => {
    const broken = { ...messageOf({}), encrypted: 5 as never }
    await expect(threaded.digest('POST /bulkQuotes', broken)).rejects.toThrow('encrypted')
    const next = await threaded.digest('POST /bulkQuotes', messageOf(bulkQuoteRequest(1)))
    expect(next.ok).toBe(true)
  })

  test('A body that exceeds the memory of the thread fails alone, and the thread is restarted', async () => {
    const bodies = openLargeBodies({ bytes_min: 0, mb_max: 24, log: log as never })
    const nested = Buffer.from(`[${'{"a":[]},'.repeat(550_000)}0]`)
    const tooMuch = bodies.digest('POST /bulkQuotes', { ...messageOf({}), body: nested })
    await expect(tooMuch).rejects.toThrow('has ended')
    expect(faults.at(-1)).toMatch('memory limit')
    const next = await bodies.digest('POST /bulkQuotes', messageOf(bulkQuoteRequest(1)))
    expect(next.ok).toBe(true)
    await bodies.stop()
  })

  test('A thread that has started has loaded its code: it reads a body within the time of a fresh thread', async () => {
    const bodies = openLargeBodies({ bytes_min: 0, log: log as never })
    await bodies.begin()
    const message = messageOf(bulkQuoteRequest(1))
    const read = Promise.resolve(bodies.digest('POST /bulkQuotes', message))
    const fresh = openLargeBodies({ bytes_min: 0, log: log as never })
    const first = await Promise.race([read.then(() => 'begun'), fresh.begin().then(() => 'fresh')])
    expect(first).toBe('begun')
    await Promise.all([bodies.stop(), fresh.stop()])
  })

  test('Waiting messages are rejected when the thread stops, and the next message restarts it', async () => {
    const bodies = openLargeBodies({ bytes_min: 0, log: log as never })
    const waiting = bodies.digest('POST /bulkQuotes', messageOf(bulkQuoteRequest(1)))
    await Promise.all([expect(waiting).rejects.toThrow('has ended'), bodies.stop()])
    const next = await bodies.digest('POST /bulkQuotes', messageOf(bulkQuoteRequest(1)))
    expect(next.ok).toBe(true)
    await bodies.stop()
  })
})

test('A refusal by the other thread equals the immediate refusal', async () => {
  const message = messageOf({ ...bulkQuoteRequest(1), payer: undefined })
  const make = () => ({ type: 'IGNORE' }) as const
  const later = digestReading(threaded, 'POST /bulkQuotes', message, make)
  if (later.type !== 'LATER') throw new Error('it was read at once')
  const reading = await later.reading()
  expect(reading).toEqual(digestReading(atOnce, 'POST /bulkQuotes', message, make))
  expect(reading).toMatchObject({ type: 'REFUSE', refusal: { code: '3102', detail: '/payer' } })
})

function itemOf(request: { readonly individualQuotes: readonly object[] }): object {
  return request.individualQuotes[0] ?? {}
}
