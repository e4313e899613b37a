import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { pino } from 'pino'
import { openCatchUp } from './catch-up.ts'

const log = pino({ level: 'silent' })
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('Catching up:', () => {
  test('A group that catches up stops exactly at the last delivered number, also when more is delivered meanwhile', async () => {
    let handedOver = 10
    const read: [number, number][] = []
    const catchUp = openCatchUp({
      log,
      position: 3,
      handedOver: () => handedOver,
      hasRoom: () => true,
      read: async (after, upTo) => {
        read.push([after, upTo])
        await turn()
        if (handedOver < 12) handedOver++
        return upTo
      },
    })
    expect(catchUp.isBehind()).toBe(true)
    catchUp.readOn()
    while (catchUp.isBehind()) await turn()
    expect(read).toEqual([
      [3, 10],
      [10, 11],
      [11, 12],
    ])
    expect([catchUp.behind_ms(), catchUp.progress()]).toEqual([undefined, undefined])
  })

  test('A failed read of the log is repeated from the same position', async () => {
    let failures = 2
    const read: number[] = []
    const catchUp = openCatchUp({
      log,
      position: 0,
      handedOver: () => 5,
      hasRoom: () => true,
      read: (after, upTo) => {
        read.push(after)
        return failures-- > 0 ? Promise.reject(new Error('gone')) : Promise.resolve(upTo)
      },
    })
    catchUp.readOn()
    while (catchUp.isBehind()) await turn()
    expect(read).toEqual([0, 0, 0])
  })

  test('Everything is taken once and in order, however the room in the queue changes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fc.integer({ min: 0, max: 4 })),
        fc.integer({ min: 1, max: 60 }),
        async (chance, last) => {
          const draw = () => chance.next().value as number
          const taken: number[] = []
          let handedOver = 0
          let room = 4
          const take = (n: number) => {
            taken.push(n)
            room--
            // Finished at some later time, between any two microtasks.
            void finishAfter(draw())
          }
          const finishAfter = async (microtasks: number) => {
            for (let at = 0; at < microtasks; at++) await Promise.resolve()
            room++
            catchUp.readOn()
          }
          const catchUp = openCatchUp({
            log,
            position: 0,
            handedOver: () => handedOver,
            hasRoom: () => room >= 2,
            read: async (after, upTo) => {
              for (let at = draw(); at > 0; at--) await Promise.resolve()
              const end = Math.min(upTo, after + room)
              for (let n = after + 1; n <= end; n++) take(n)
              return end
            },
          })
          catchUp.readOn()
          while (handedOver < last) {
            handedOver++
            if (!catchUp.isBehind()) {
              if (room > 0) take(handedOver)
              else catchUp.letGo(handedOver - 1)
            }
            if (draw() === 0) await turn()
          }
          for (let turns = 0; turns < 200 && taken.length < last; turns++) await turn()
          expect(taken).toEqual(Array.from({ length: last }, (_, at) => at + 1))
        },
      ),
      { numRuns: 300 },
    )
  })

  test('A stop ends the reading of the log', async () => {
    let reads = 0
    const catchUp = openCatchUp({
      log,
      position: 0,
      handedOver: () => 1_000_000,
      hasRoom: () => true,
      read: async (after) => {
        reads++
        await turn()
        return after + 1
      },
    })
    catchUp.readOn()
    while (reads < 3) await turn()
    await catchUp.stop()
    const before = reads
    catchUp.readOn()
    await turn()
    expect([reads, catchUp.position()]).toEqual([before, before])
  })
})
