import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { hashOf, largest, relayOf, requestEvent, started } from '../testing/messages.ts'
import { openWorld, answersIn, type QuotingWorld } from '../testing/world.ts'
import { requestOf, termsOf, type Terms } from './contract.ts'
import type { Accepted, Pending } from './domain/quote.ts'
import { request } from './request.ts'
import type { QuoteEnd, QuoteTables } from './store.ts'

const now = new Date(started)

let parts: TestParts
let world: QuotingWorld
let store: QuoteTables

beforeAll(async () => {
  parts = await openTestParts()
  world = await openWorld(parts)
  store = world.work.store
})

afterAll(async () => {
  await world.db.close()
  await parts.stop()
})

function pending(id: string, amount = '99'): Terms & Pending {
  const event = requestEvent(id, { amount: { currency: 'USD', amount } })
  return { ...termsOf(event, requestOf(event, 1)), state: 'PENDING', payeeFsp: 'riverwallet' }
}

async function claim(quotes: readonly (Terms & Pending)[]): Promise<ReadonlySet<string>> {
  const claims = quotes.map((quote) => ({
    quote,
    relay: relayOf(`request ${quote.quoteId}`),
  }))
  return (await store.claim(claims, now, () => [])).claimed
}

function acceptance(quote: Terms & Pending): QuoteEnd & { readonly quote: Accepted } {
  return {
    quote: {
      ...quote,
      state: 'ACCEPTED',
      outcome: { eventId: randomUUID(), hash: hashOf('answer') },
      transferAmount: quote.amount,
      validUntil: '2026-01-15T12:05:00.000Z',
    },
    message: { kind: 'RESPONSE', eventId: randomUUID(), relay: relayOf('answer') },
  }
}

function withoutTerms(terms: Terms) {
  const { transactionId: _, amountType: __, amount: ___, ...quote } = terms
  return quote
}

describe('a claim', () => {
  test('An id is claimed once, by one of two batches with the same new ids in any order', async () => {
    for (let round = 0; round < 10; round++) {
      const ids = Array.from({ length: 20 }, () => randomUUID())
      const quotes = ids.map((id) => pending(id))
      const [first, second] = await Promise.all([claim(quotes), claim(quotes.toReversed())])
      expect([...first, ...second].length).toBe(20)
      expect(new Set([...first, ...second])).toEqual(new Set(ids))
    }
  })

  test('One new id in two concurrent batches sends one request to the payee FSP', async () => {
    const events = Array.from({ length: 20 }, () => requestEvent(randomUUID()))
    const from = world.published.length
    const again = events.map((event) => ({ ...event, id: randomUUID() }))
    await Promise.all([request(world.work, events), request(world.work, again.toReversed())])
    expect(answersIn(world.published.slice(from))).toEqual(
      events.map(() => 'QuoteRequestAccepted relayed'),
    )
  })

  test('With other content in two concurrent batches, the later claim is refused', async () => {
    const events = Array.from({ length: 20 }, () => requestEvent(randomUUID()))
    const others = events.map(({ payload }) => requestEvent(payload.quoteId, { note: 'other' }))
    const from = world.published.length
    await Promise.all([request(world.work, events), request(world.work, others.toReversed())])
    const published = answersIn(world.published.slice(from))
    expect(published.filter((one) => one === 'QuoteRequestAccepted relayed').length).toBe(20)
    expect(published.filter((one) => one === 'InvalidQuoteRequest 3106').length).toBe(20)
  })

  test('A claim is read as it was stored, also with an amount beyond any integer type', async () => {
    const quote = pending(randomUUID(), largest)
    await claim([quote])
    expect((await store.read([quote.quoteId, randomUUID()])).get(quote.quoteId)).toEqual(
      withoutTerms(quote),
    )
  })

  test('A claim is rolled back if its messages cannot be announced', async () => {
    const quote = pending(randomUUID())
    const claims = [{ quote, relay: undefined }]
    const failing = store.claim(claims, now, () => {
      throw new Error('nothing to say')
    })
    await expect(failing).rejects.toThrow('nothing to say')
    expect((await store.read([quote.quoteId])).size).toBe(0)
  })
})

describe('a move', () => {
  test('A move ends a pending quote once, and a final row never changes', async () => {
    const quote = pending(randomUUID(), largest)
    await claim([quote])
    const change = acceptance(quote)
    const { moved } = await store.move([change], now, () => [])
    expect(moved).toEqual(new Set([quote.quoteId]))
    const again = await store.move([acceptance(quote)], now, () => [])
    expect(again.moved.size).toBe(0)
    const stored = withoutTerms({ ...quote, ...change.quote })
    expect(again.unchanged.get(quote.quoteId)).toEqual(stored)
    expect((await store.readWithAnswers([quote.quoteId])).get(quote.quoteId)).toEqual({
      quote: stored,
      answer: relayOf('answer'),
    })
  })

  test('Of two concurrent moves of one quote one takes effect', async () => {
    const quotes = Array.from({ length: 20 }, () => pending(randomUUID()))
    await claim(quotes)
    const changes = quotes.map(acceptance)
    const [first, second] = await Promise.all([
      store.move(changes, now, () => []),
      store.move(changes.toReversed(), now, () => []),
    ])
    expect(first.moved.size + second.moved.size).toBe(20)
    expect(first.unchanged.size + second.unchanged.size).toBe(20)
  })

  test('A rejected row is read with its error and its rule', async () => {
    const quote = pending(randomUUID())
    await claim([quote])
    const rejected = {
      ...quote,
      state: 'REJECTED',
      reason: 'RULE',
      error: { errorCode: '3100', errorDescription: 'Generic validation error' },
      ruleId: 'fees',
      outcome: { eventId: randomUUID(), hash: hashOf('answer') },
    } as const
    await store.move([{ quote: rejected, message: undefined }], now, () => [])
    expect((await store.read([quote.quoteId])).get(quote.quoteId)).toEqual(withoutTerms(rejected))
  })
})

describe('expiry', () => {
  test('Expiry ends each due quote once, concurrently with answers', async () => {
    const quotes = Array.from({ length: 40 }, () => pending(randomUUID()))
    await claim(quotes)
    const due = new Date(quotes[0]?.expiresAt ?? '')
    const results = await Promise.all([
      store.expire(due, 15),
      store.expire(due, 15),
      store.move(quotes.map(acceptance), now, () => []).then(({ moved }) => moved.size),
    ])
    let swept: number
    do {
      swept = await store.expire(due, 100)
    } while (swept > 0)
    const states = [...(await store.read(quotes.map(({ quoteId }) => quoteId))).values()]
    const accepted = states.filter(({ state }) => state === 'ACCEPTED').length
    expect(accepted).toBe(results[2])
    expect(states.filter(({ state }) => state === 'EXPIRED').length).toBe(40 - accepted)
  })

  test('A quote is overdue until a sweep', async () => {
    const quote = pending(randomUUID())
    await claim([quote])
    const due_ms = Date.parse(quote.expiresAt)
    expect(await store.overdue_ms(new Date(due_ms - 1))).toBe(0)
    expect(await store.overdue_ms(new Date(due_ms + 5_000))).toBe(5_000)
    await store.expire(new Date(due_ms + 5_000), 1_000)
    expect(await store.overdue_ms(new Date(due_ms + 5_000))).toBe(0)
  })
})
