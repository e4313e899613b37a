import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { grossMovements, grossMovements_max, type GrossLine, type Rules } from './movements.ts'

const rules: Rules = {
  granularity: 'GROSS',
  interchange: 'BILATERAL',
  ledgerAccountType: 'POSITION',
  settlementAccountType: 'SETTLEMENT',
  autoPositionReset: true,
  excludesUnpaid: true,
}
const through: Rules = { ...rules, interchange: 'MULTILATERAL' }

/** What each account gains (debits less credits), as "participant type amount". */
function effectOf(lines: readonly GrossLine[], of: Rules): readonly string[] {
  const values = new Map<string, bigint>()
  for (const { debit, credit, amount } of lines.flatMap((line) => grossMovements(of, line))) {
    for (const [{ participant, type }, change] of [
      [debit, amount],
      [credit, -amount],
    ] as const) {
      const key = `${participant ?? 'the hub'} ${type}`
      values.set(key, (values.get(key) ?? 0n) + change)
    }
  }
  return [...values].map(([key, value]) => `${key} ${value}`).toSorted()
}

const lines = fc.array(
  fc.record({
    windowId: fc.constant(1),
    transferId: fc.uuid(),
    kind: fc.constant('TRANSFER'),
    payerFsp: fc.constantFrom('green', 'blue', 'red'),
    payeeFsp: fc.constantFrom('green', 'blue', 'red'),
    amount: fc.bigInt({ min: 1n, max: 10n ** 20n }),
    currency: fc.constant('USD'),
  }),
  { maxLength: 20 },
)

test("Gross settlement through the hub's account does what bilateral does, and leaves nothing with the hub", () => {
  fc.assert(
    fc.property(lines, (all) => {
      const effect = effectOf(all, through)
      const hub = effect.filter((value) => value.startsWith('the hub'))
      expect(hub).toEqual(all.length === 0 ? [] : ['the hub HUB_MULTILATERAL_SETTLEMENT 0'])
      expect(effect.filter((value) => !value.startsWith('the hub'))).toEqual(effectOf(all, rules))
    }),
  )
})

test('A gross line has movements with different names, at most as many as a page reckons with', () => {
  fc.assert(
    fc.property(lines, fc.constantFrom(rules, through), (all, of) => {
      for (const line of all) {
        const names = grossMovements(of, line).map(({ name }) => name)
        expect(new Set(names).size).toBe(names.length)
        expect(names.length).toBeLessThanOrEqual(grossMovements_max)
      }
    }),
  )
})
