import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { judgeMonths, type MonthFacts } from './lost.ts'

const currentMonths = ['2026-10', '2026-11', '2026-12']

function judged(facts: Partial<MonthFacts>) {
  const { made, lost } = judgeMonths({
    asked: new Set(currentMonths),
    held: [],
    known: [],
    currentMonths,
    givenUp: new Set(),
    ...facts,
  })
  return { made: made.toSorted(), lost: [...lost].toSorted() }
}

test('Keys are made for the current months that are asked for, and for no others', () => {
  expect(judged({})).toEqual({ made: currentMonths, lost: [] })
  const asked = new Set(['2026-11', '2027-02', '2025-01'])
  expect(judged({ asked })).toEqual({ made: ['2026-11'], lost: [] })
  const known = [{ month: '2026-11', thumbprint: null }]
  expect(judged({ asked, known })).toEqual({ made: [], lost: [] })
})

test('A month of which a service holds another key, or one that is not there, is lost', () => {
  const held = [
    { month: '2026-03', thumbprint: 'aa' },
    { month: '2026-10', thumbprint: 'bb' },
    { month: '2026-11', thumbprint: 'cc' },
  ]
  const known = [
    { month: '2026-10', thumbprint: 'bb' },
    { month: '2026-11', thumbprint: 'dd' },
  ]
  expect(judged({ held, known })).toEqual({ made: ['2026-12'], lost: ['2026-03', '2026-11'] })
})

test('A month that is erased is not lost', () => {
  const held = [{ month: '2026-10', thumbprint: 'bb' }]
  const known = [{ month: '2026-10', thumbprint: null }]
  expect(judged({ held, known })).toEqual({ made: ['2026-11', '2026-12'], lost: [] })
})

test('A lost key that operators give up is made once more, and then the service holds both', () => {
  const held = [{ month: '2026-03', thumbprint: 'aa' }]
  const givenUp = new Set(['2026-03'])
  const asked = new Set<string>()
  expect(judged({ asked, held, givenUp })).toEqual({ made: ['2026-03'], lost: [] })
  const known = [{ month: '2026-03', thumbprint: 'ee' }]
  expect(judged({ asked, held, known, givenUp })).toEqual({ made: [], lost: [] })
  const both = [...held, { month: '2026-03', thumbprint: 'ee' }]
  expect(judged({ asked, held: both, known })).toEqual({ made: [], lost: [] })
})

test('No key is ever made for a month that has one, was erased, or is lost', () => {
  const months = fc.constantFrom('2026-09', ...currentMonths, '2027-01')
  const prints = fc.constantFrom('aa', 'bb')
  const facts = fc.record({
    asked: fc.uniqueArray(months).map((all) => new Set(all)),
    held: fc.array(fc.record({ month: months, thumbprint: prints })),
    known: fc.uniqueArray(
      fc.record({ month: months, thumbprint: fc.option(prints, { nil: null }) }),
      { selector: ({ month }) => month },
    ),
    givenUp: fc.uniqueArray(months).map((all) => new Set(all)),
  })
  fc.assert(
    fc.property(facts, (given) => {
      const { made, lost } = judgeMonths({ ...given, currentMonths })
      const known = new Set(given.known.map(({ month }) => month))
      const held = new Set(given.held.map(({ month }) => month))
      for (const month of made) {
        expect([known.has(month), lost.has(month)]).toEqual([false, false])
        expect(held.has(month) && !given.givenUp.has(month)).toBe(false)
      }
      for (const month of lost) expect(held.has(month)).toBe(true)
    }),
  )
})
