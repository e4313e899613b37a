import { expect, test } from '@jest/globals'
import { openUseRate } from './uses.ts'

test('A caller uses keys so many times in a minute, whatever others do', () => {
  const rate = openUseRate(2)
  const at = (caller: string, now_ms: number) => rate(caller, now_ms)?.reason
  expect([at('ada', 0), at('ada', 1), at('ada', 2), at('bob', 3)]).toEqual([
    undefined,
    undefined,
    'BUSY',
    undefined,
  ])
  expect(at('ada', 60_000)).toBeUndefined()
})
