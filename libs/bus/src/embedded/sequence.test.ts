import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openSequence, type Span } from './sequence.ts'

describe('The sequence of the log:', () => {
  test('Messages are delivered in the order of their numbers, whichever commits first', () => {
    const seen: string[] = []
    const sequence = openSequence<string>(10, (first, content) => seen.push(`${first}${content}`))
    const [a, b, c] = [sequence.open(2, 'a'), sequence.open(1, 'b'), sequence.open(3, 'c')]
    c.committed()
    b.committed()
    expect([seen, sequence.handedOver, sequence.oldest()]).toEqual([[], 10, 'a'])
    a.committed()
    expect(sequence.oldest()).toBeUndefined()
    expect([seen, sequence.handedOver]).toEqual([['11a', '13b', '14c'], 16])
    expect(sequence.oldest_ms()).toBeUndefined()
  })

  test('Rolled-back numbers are skipped, and open ones are waited for', () => {
    const seen: string[] = []
    const sequence = openSequence<string>(0, (_first, content) => seen.push(content))
    const [a, b, c] = [sequence.open(1, 'a'), sequence.open(1, 'b'), sequence.open(1, 'c')]
    a.rolledBack()
    c.committed()
    expect([seen, sequence.handedOver]).toEqual([[], 1])
    expect(sequence.oldest_ms()).toBeGreaterThanOrEqual(0)
    b.rolledBack()
    expect([seen, sequence.handedOver]).toEqual([['c'], 3])
  })

  test('A span that is closed cannot be closed again', () => {
    const span = openSequence(0, () => undefined).open(1, undefined)
    span.committed()
    expect(() => span.rolledBack()).toThrow('closed already')
  })

  test('For any outcomes in any order, all committed messages are delivered in order and none behind an open number', () => {
    const spec = fc.array(fc.record({ count: fc.integer({ min: 1, max: 4 }), good: fc.boolean() }))
    fc.assert(
      fc.property(spec, fc.infiniteStream(fc.nat()), (specs, chance) => {
        const seen: number[] = []
        const sequence = openSequence<undefined>(0, (first) => seen.push(first))
        const open: (Span & { readonly good: boolean })[] = []
        const committed: number[] = []
        const close = () => {
          const [span] = open.splice((chance.next().value ?? 0) % open.length, 1)
          if (span?.good === true) span.committed()
          else span?.rolledBack()
          const lowest = Math.min(...open.map(({ first }) => first))
          expect(sequence.handedOver).toBeLessThan(lowest)
          expect(seen).toEqual(committed.filter((first) => first < lowest))
        }
        for (const { count, good } of specs) {
          const span = { ...sequence.open(count, undefined), good }
          open.push(span)
          if (good) committed.push(span.first)
          if ((chance.next().value ?? 0) % 2 === 0) close()
        }
        while (open.length > 0) close()
        expect(seen).toEqual(committed)
      }),
    )
  })
})
