import { isOutage } from '@causeway/process'
import { describe, expect, test } from '@jest/globals'
import { recordOf, type OutgoingRecord } from './record.ts'
import { openSender } from './outbox/sender.ts'

const record = (n: number, size = 1): OutgoingRecord =>
  recordOf({ topic: 'orders', key: `${n}`, value: 'x'.repeat(size), headers: {} })
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at)
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A Kafka whose answers the test releases. */
function slowKafka() {
  const sends: (readonly OutgoingRecord[])[] = []
  const answers: ((error?: Error) => void)[] = []
  const producer = {
    send(records: readonly OutgoingRecord[]): Promise<void> {
      sends.push(records)
      return new Promise((resolve, reject) => {
        answers.push((error) => (error === undefined ? resolve() : reject(error)))
      })
    },
    stop: () => Promise.resolve(),
  }
  return {
    sender: openSender(producer),
    sent: () => sends.map((records) => records.map(({ key }) => Number(key))),
    answer: async (error?: Error) => {
      answers.shift()?.(error)
      await turn()
    },
  }
}

describe('The sender:', () => {
  test('One send is in progress at a time, and the calls that arrive meanwhile form the next', async () => {
    const { sender, sent, answer } = slowKafka()
    const first = sender.send([record(0)])
    const second = sender.send([record(1), record(2)])
    await turn()
    const third = sender.send([record(3)])
    const fourth = sender.send([record(4)])
    await turn()
    expect(sent()).toEqual([[0, 1, 2]])
    expect(sender.progress()).toBeGreaterThanOrEqual(0)
    await answer()
    await Promise.all([first.settled, second.settled])
    expect(sent()).toEqual([
      [0, 1, 2],
      [3, 4],
    ])
    await answer()
    await Promise.all([third.settled, fourth.settled])
    expect(sender.progress()).toBeUndefined()
  })

  test('Calls that exceed the size of one send are sent with several, in order', async () => {
    const { sender, sent, answer } = slowKafka()
    const many = sender.send(numbers(1_500).map((n) => record(n)))
    const large = sender.send(numbers(3).map((n) => record(n, 600_000)))
    const after = sender.send([record(7)])
    for (let at = 0; at < 6; at++) {
      await turn()
      await answer()
    }
    await Promise.all([many.settled, large.settled, after.settled])
    expect(sent()).toEqual([numbers(1_000), numbers(500, 1_000), [0], [1], [2], [7]])
  })

  test('A failed send rejects the calls that were sent together, and no other', async () => {
    const { sender, answer } = slowKafka()
    const first = sender.send([record(0)])
    await turn()
    const second = sender.send([record(1)])
    const failure = first.settled.catch((error: unknown) => error)
    await answer(new Error('away'))
    expect(await failure).toEqual(new Error('away'))
    await answer()
    await second.settled
  })

  test('A call that is not being sent yet can be withdrawn', async () => {
    const { sender, sent, answer } = slowKafka()
    const first = sender.send([record(0)])
    await turn()
    const second = sender.send([record(1)])
    first.withdraw()
    second.withdraw()
    const error: unknown = await second.settled.catch((cause: unknown) => cause)
    expect(isOutage(error)).toBe(true)
    await answer()
    await first.settled
    expect(sent()).toEqual([[0]])
  })

  test('A full queue rejects further calls as an outage', async () => {
    const { sender, answer } = slowKafka()
    const first = sender.send([record(0)])
    await turn()
    const waiting = numbers(20).map((at) => sender.send(numbers(1_000, at).map((n) => record(n))))
    const error: unknown = await sender.send([record(1)]).settled.catch((cause: unknown) => cause)
    expect(isOutage(error)).toBe(true)
    for (let at = 0; at < 21; at++) await answer()
    await Promise.all([first, ...waiting].map(({ settled }) => settled))
    await sender.send([]).settled
  })
})
