import { Outage } from '@causeway/process'
import { expect, test } from '@jest/globals'
import type { OutgoingMessage } from '../event-bus.ts'
import { message } from '../testing/bus-under-test.ts'
import { openDerivedEvents } from './derived-events.ts'
import type { Reader } from './listener.ts'
import { openSequence } from './sequence.ts'

/** A log whose writes are decided by the test, and one group that reads it. */
function openLog() {
  const order: string[] = []
  const sequence = openSequence<readonly OutgoingMessage[]>(0, (_first, messages) => {
    order.push(...messages.map(({ id }) => `${id} from the log`))
  })
  let isCaughtUp = false
  const open: { committed(): void }[] = []
  const reader: Reader = {
    group: 'bills',
    take: () => undefined,
    push: ({ content, onFinished }) => {
      if (content.from === 'memory') order.push(`${content.message.id} from memory`)
      onFinished?.()
    },
    reads: () => true,
    isCaughtUp: () => isCaughtUp,
  }
  const derivedEvents = openDerivedEvents({
    writer: {
      sequence,
      publish(messages) {
        open.push(sequence.open(messages.length, messages))
        return Promise.reject(new Outage('the answer of COMMIT was lost'))
      },
    },
    readers: new Map([['bills', [reader]]]),
    known: new Map([['bills', new Set(['bills'])]]),
    mayBeDuplicate: () => true,
  })
  const publishDerived = derivedEvents(() => () => undefined)
  return { order, open, publishDerived, comeBack: () => (isCaughtUp = true) }
}

test('A derived event that may have been written is not overtaken by its repeat from memory', async () => {
  const { order, open, publishDerived, comeBack } = openLog()
  const bill = [message('bills', 'a', 1)]
  await publishDerived(bill).catch(() => order.push('not known'))
  comeBack()
  await publishDerived(bill).catch(() => order.push('not known'))
  for (const span of open) span.committed()
  await publishDerived(bill)
  expect(order).toEqual([
    'not known',
    'not known',
    'bills/a/1 from the log',
    'bills/a/1 from the log',
    'bills/a/1 from memory',
  ])
})
