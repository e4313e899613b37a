import { expect, test } from '@jest/globals'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { LeaderConnection } from './leader/connection.ts'
import { openWriter, type WriterOptions } from './writer.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** A connection that does what it is asked to; these tests send nothing to a database. */
const connection = {
  transaction: <T>(work: (tx: undefined) => Promise<T>) => work(undefined),
} as unknown as LeaderConnection

function open() {
  return openWriter(connection, { batch_max: 10, queued_max: 100 } as WriterOptions)
}

test('Answered items are not retained in memory', async () => {
  const writer = open()
  const answered: WeakRef<object>[] = []
  for (let n = 0; n < 100; n += 1) {
    answered.push(new WeakRef(await writer.runExclusive(() => Promise.resolve({ n }))))
  }
  await turn()
  collectGarbage()
  const retained = answered.filter((answer) => answer.deref() !== undefined)
  // The last ones may still lie in a register or on a stack.
  expect(retained.length).toBeLessThan(10)
})

test('The writer is drained when all items queued before have ended', async () => {
  const writer = open()
  const done: string[] = []
  const works = ['first', 'second', 'third'].map((name) =>
    writer.runExclusive(async () => {
      await turn()
      done.push(name)
      if (name === 'second') throw new Error('refused')
    }),
  )
  const settled = Promise.allSettled(works)
  await writer.drained()
  expect(done).toEqual(['first', 'second', 'third'])
  expect((await settled).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  await writer.drained()
})
