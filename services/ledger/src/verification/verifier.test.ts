import { describe, expect, test } from '@jest/globals'
import { singleFlight } from './verifier.ts'

/** Work that the test resolves. */
function handWork() {
  const begun: { readonly signal: AbortSignal; answer(text: string): void }[] = []
  const work = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      begun.push({ signal, answer: resolve })
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
  return { begun, work }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

describe('shared work', () => {
  test('Shared work runs once for all callers that wait for it', async () => {
    const { begun, work } = handWork()
    const shared = singleFlight(work)
    const results = [1, 2].map(() => shared.join(new AbortController().signal))
    await turn()
    expect([begun.length, shared.isOver()]).toEqual([1, false])
    begun[0]?.answer('clean')
    expect(await Promise.all(results)).toEqual(['clean', 'clean'])
    await shared.ended
    expect(shared.isOver()).toBe(true)
  })

  test('Shared work continues as long as one caller waits, and stops when the last one is gone', async () => {
    const { begun, work } = handWork()
    const shared = singleFlight(work)
    const [one, other] = [new AbortController(), new AbortController()]
    const results = [one, other].map(({ signal }) => shared.join(signal))
    await turn()
    one.abort(new Error('one is gone'))
    expect([begun[0]?.signal.aborted, shared.isOver()]).toEqual([false, false])
    other.abort(new Error('all are gone'))
    expect(shared.isOver()).toBe(true)
    for (const result of results) await expect(result).rejects.toThrow('all are gone')
  })

  test('Shared work does not begin for a caller that has already left', async () => {
    const { begun, work } = handWork()
    const shared = singleFlight(work)
    await expect(shared.join(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
    expect(begun).toEqual([])
  })

  test('Shared work begins when the previous run has ended, even if that failed', async () => {
    const { begun, work } = handWork()
    const first = singleFlight(work)
    const failing = first.join(new AbortController().signal)
    await turn()
    const second = singleFlight(work, first.ended)
    const result = second.join(new AbortController().signal)
    await turn()
    expect(begun).toHaveLength(1)
    first.stop(new Error('stopped'))
    await expect(failing).rejects.toThrow('stopped')
    await turn()
    begun[1]?.answer('clean')
    expect(await result).toBe('clean')
  })
})
