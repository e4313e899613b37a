/** Entries of the memory that processes share, almost as they were stored: recalled unchanged, or a miss. */
import { randomBytes } from 'node:crypto'
import { changedText } from '@causeway/fuzzing'
import type { SharedMemory } from '@causeway/runtime'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { authenticatedMemory } from './authenticated-memory.ts'

const name = 'oracle:1:USD/MSISDN/12025550101'
const owner = '[{"fspId":"greenbank"}]'

test('A changed entry is a miss, or the answer that was stored', async () => {
  const stored = new Map<string, string>()
  const shared: SharedMemory = {
    isSole: false,
    shareUse: () => ({ stop: () => undefined }),
    recall: () => Promise.resolve(new Map(stored)),
    remember(entries) {
      for (const [one, value] of entries) stored.set(one, value)
    },
    forget: () => stored.clear(),
  }
  const memory = authenticatedMemory(shared, randomBytes(32), () => 0)
  memory.remember(new Map([[name, owner]]), 60_000)
  const [[key, entry] = ['', '']] = stored
  await fc.assert(
    fc.asyncProperty(changedText([entry]), async (changed) => {
      stored.set(key, changed)
      const recalled = (await memory.recall([name])).get(name)
      if (recalled !== undefined) expect(recalled).toBe(owner)
    }),
    { numRuns: 1_000 },
  )
})
