import { randomBytes } from 'node:crypto'
import type { SharedMemory } from '@causeway/runtime'
import { expect, test } from '@jest/globals'
import { authenticatedMemory } from './authenticated-memory.ts'

const secret = randomBytes(32)
const name = 'oracle:1:USD/MSISDN/12025550101'
const owner = '[{"fspId":"greenbank"}]'

/** A store that forgets nothing by itself, and that others can write too. */
function openStore(age: { now_ms: number } = { now_ms: 0 }) {
  const stored = new Map<string, string>()
  const shared: SharedMemory = {
    isSole: false,
    shareUse: () => ({ stop: () => undefined }),
    recall: (names) =>
      Promise.resolve(
        new Map(names.flatMap((one) => (stored.has(one) ? [[one, stored.get(one) ?? '']] : []))),
      ),
    remember(entries) {
      for (const [one, value] of entries) stored.set(one, value)
    },
    forget(names) {
      for (const one of names) stored.delete(one)
    },
  }
  const open = (key = secret) => authenticatedMemory(shared, key, () => age.now_ms)
  return { stored, shared, open }
}

const none = ['', ''] as const

const recalled = async (memory: SharedMemory, one = name) => (await memory.recall([one])).get(one)

test('An answer that one process remembers is recalled by another with the same key', async () => {
  const { open } = openStore()
  open().remember(new Map([[name, owner]]), 60_000)
  expect(await recalled(open())).toBe(owner)
  expect(await recalled(open(randomBytes(32)))).toBeUndefined()
})

test('What was written without the key is no answer, in whatever form', async () => {
  const { stored, shared, open } = openStore()
  open().remember(new Map([[name, owner]]), 60_000)
  const [[sealedName, value] = none] = [...stored]
  const [until = '', code = ''] = value.split('.')
  const forged = owner.replace('greenbank', 'thief')
  const longer = `${Number(until) + 1}`
  for (const one of [
    forged,
    `${until}.${code}.${forged}`,
    `${longer}.${code}.${owner}`,
    '',
    '..',
  ]) {
    stored.set(sealedName, one)
    expect(await recalled(open())).toBeUndefined()
  }
  shared.remember(new Map([[name, forged]]), 60_000)
  expect(await recalled(open())).toBeUndefined()
})

test('An answer about one party is none about another', async () => {
  const { stored, open } = openStore()
  const other = name.replace('101', '102')
  open().remember(new Map([[name, owner]]), 60_000)
  open().remember(new Map([[other, owner]]), 60_000)
  const [[, value] = none, [otherName] = none] = [...stored]
  stored.set(otherName, value)
  expect(await recalled(open(), other)).toBeUndefined()
})

test('An answer that was kept for longer than it may be used is none', async () => {
  const age = { now_ms: 0 }
  const { open } = openStore(age)
  open().remember(new Map([[name, owner]]), 60_000)
  age.now_ms = 59_999
  expect(await recalled(open())).toBe(owner)
  age.now_ms = 60_000
  expect(await recalled(open())).toBeUndefined()
})

test('A forgotten answer is gone', () => {
  const { stored, open } = openStore()
  open().remember(new Map([[name, owner]]), 60_000)
  open().forget([name])
  expect([...stored]).toEqual([])
})
