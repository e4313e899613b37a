import { monthOf } from '@causeway/postgres'
import { openLog, Outage } from '@causeway/process'
import { expect, test } from '@jest/globals'
import { sweepOnce } from './sweep.ts'

/** The number of overdue funds out that one round tries, when each attempt fails with the error. */
async function triedWith(error: Error): Promise<number> {
  let tried = 0
  const rows = [1, 2, 3].map((n) => ({ id: `out-${n}`, payer_fsp: 'greenbank' }))
  const unused = () => Promise.reject(new Error('this is not asked for'))
  const round = sweepOnce({
    writer: {
      runExclusive() {
        tried++
        return Promise.reject(error)
      },
      decide: unused,
      drained: unused,
    },
    database: {
      query: <Row>() => Promise.resolve(rows as readonly unknown[] as readonly Row[]),
      transaction: unused,
      close: unused,
    },
    bus: {
      announce: () => undefined,
      publish: unused,
      subscribe: unused,
      subscribeBroadcast: unused,
      answers: unused,
      deadLetters: unused,
      replay: unused,
      discard: unused,
    },
    rules: {
      hubName: 'Hub',
      states: new Map(),
      months: { of: monthOf },
      expiryGrace_ms: 0,
    },
    log: openLog({ name: 'test', level: 'silent' }),
    every_ms: 1,
    isHere: () => true,
  })
  await round.catch((failure: unknown) => {
    if (failure !== error) throw failure
  })
  return tried
}

test('Funds out that cannot be ended do not block later ones', async () => {
  expect(await triedWith(new Error('an unreadable row'))).toBe(3)
})

test('An outage ends the round', async () => {
  expect(await triedWith(new Outage('gone'))).toBe(1)
})
