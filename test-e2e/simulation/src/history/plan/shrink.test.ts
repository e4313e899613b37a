import { describe, expect, test } from '@jest/globals'
import type { PlannedLink } from './link-plan.ts'
import { planOf, type Plan } from './plan.ts'
import { shorterThan, shrink } from './shrink.ts'

function linkAt(begins_ms: number): PlannedLink {
  return {
    begins_ms,
    credential: 'RIGHT',
    repeats: true,
    payments: ['1', '2'].map((amount) => ({
      payee: 'river',
      amount,
      begins_ms: 0,
      valid_ms: 1_000,
      user: 'SIGNS',
      answers: ['FULFIL'],
    })),
    revocation: { by: 'PISP', how: 'DELETE', begins_ms: 0 },
  }
}

const long: Plan = {
  ...planOf(1, 1),
  transfers: [1, 2, 3, 4, 5].map((n) => ({
    payer: 'mango',
    payee: 'river',
    amount: `${n}`,
    begins_ms: 0,
    valid_ms: 1_000,
    leads: ['QUOTE'],
    answers: ['FULFIL', 'REJECT'],
    again: ['SAME'],
  })),
  bulks: [],
  links: [linkAt(1), linkAt(2)],
  acts: [{ act: 'CLOSE_WINDOW', begins_ms: 0 }],
  faults: [
    { type: 'STOP', moment: { of: 'TRIP', at: 1 } },
    { type: 'SLOW', delay_ms: 1, probability: 1, lasts_ms: 1 },
  ],
}

const hasFour = ({ transfers }: Plan) => transfers.some(({ amount }) => amount === '4')
const isSlow = ({ faults }: Plan) => faults.some(({ type }) => type === 'SLOW')

describe('shrinking a history', () => {
  test('Only what it fails with is left', async () => {
    const fails = (plan: Plan) => Promise.resolve(hasFour(plan) && isSlow(plan))
    expect(await shrink(long, fails, 100)).toEqual({
      ...long,
      transfers: [{ ...long.transfers[3], answers: ['FULFIL'], again: [], leads: [] }],
      links: [],
      acts: [],
      faults: [long.faults[1]],
    })
  })

  test('Of links, the payment and the revocation that it fails with are left', async () => {
    const fails = ({ links }: Plan) =>
      Promise.resolve(
        links.some(
          ({ begins_ms, payments, revocation }) =>
            begins_ms === 2 && payments[1]?.amount === '2' && revocation !== undefined,
        ),
      )
    const { links, transfers } = await shrink(long, fails, 100)
    expect(transfers).toEqual([])
    expect(links).toEqual([{ ...linkAt(2), repeats: undefined }])
  })

  test('A history that fails by itself alone stays as it is', async () => {
    expect(await shrink(long, (plan) => Promise.resolve(plan === long), 100)).toBe(long)
  })

  test('No more tries are made than permitted', async () => {
    let tries = 0
    await shrink(long, () => Promise.resolve(++tries < 0), 3)
    expect(tries).toBe(3)
  })

  test('Each candidate has less of something', () => {
    const size = (plan: Plan) => JSON.stringify(plan).length
    for (const shorter of shorterThan(long)) expect(size(shorter)).toBeLessThan(size(long))
  })
})
