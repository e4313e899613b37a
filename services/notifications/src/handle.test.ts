/**
 * Chains of first attempts to FSPs that answer on command. The store records results in the order of the
 * calls.
 */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { setImmediate as turn } from 'node:timers/promises'
import type { Notification, NotificationResult } from './contract.ts'
import { judge } from './domain/verdict.ts'
import { openFirstAttempts, type FirstAttempts } from './handle.ts'
import { openLanes, type AttemptResult } from './lanes/lane.ts'
import type { StoredStatus } from './store.ts'
import { notificationFor } from './testing/world.ts'

interface Scene {
  readonly attempts: FirstAttempts
  /** The unanswered messages to each FSP, oldest first. */
  readonly unanswered: Map<string, { readonly id: string; answer(status: number): void }[]>
  readonly sent: Notification[]
  readonly stored: NotificationResult[]
  readonly late: string[]
}

const noMeasures = {
  attempted: () => undefined,
  circuitOpen: () => undefined,
  ended: () => undefined,
}

const bytesPerFsp_max = 1_000

function scene(
  known: (id: string) => StoredStatus = () => ({ taken: false, blocked: false, modified: false }),
): Scene {
  const unanswered: Scene['unanswered'] = new Map()
  const [sent, stored, late]: [Notification[], NotificationResult[], string[]] = [[], [], []]
  const lanes = openLanes({
    transportTo: (fspId) => ({
      send: (notification) =>
        new Promise<AttemptResult>((resolve) => {
          sent.push(notification)
          const answer = (status: number) => {
            const verdict = judge('PUT', { type: 'ANSWERED', status })
            resolve({ verdict, httpStatus: status, refusal: undefined })
          }
          unanswered.set(fspId, [...(unanswered.get(fspId) ?? []), { id: notification.id, answer }])
        }),
      close: () => Promise.resolve(),
    }),
    bounds: { requests_max: 4, timeout_ms: 60_000, failures_max: 1_000, trial_every_ms: 60_000 },
    measures: noMeasures,
    reachability: { note: () => undefined },
    onRecovered: () => undefined,
  })
  const attempts = openFirstAttempts({
    lanes,
    backoff: { first_ms: 1_000, max_ms: 1_000 },
    park_after_ms: 60_000,
    bytesPerFsp_max,
    known: (notification) => Promise.resolve(known(notification.id)),
    store: (result) => {
      stored.push(result)
      return Promise.resolve()
    },
    onLateEnd: (notification) => late.push(notification.id),
  })
  return { attempts, unanswered, sent, stored, late }
}

type Step =
  | {
      readonly type: 'BEGIN'
      readonly fspId: string
      readonly entityId: string
      readonly state: string
    }
  | { readonly type: 'ANSWER'; readonly fspId: string; readonly status: number }

const fspId = fc.constantFrom('greenbank', 'bluewallet', 'redmoney')
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('BEGIN' as const),
    fspId,
    entityId: fc.constantFrom('a', 'b'),
    state: fc.constantFrom('new', 'new', 'new', 'asked', 'taken', 'blocked', 'modified'),
  }),
  fc.record({
    type: fc.constant('ANSWER' as const),
    fspId,
    status: fc.constantFrom(200, 200, 200, 503, 400),
  }),
)

const chainOf = ({ fspId: fsp, entityId }: Notification) => `${fsp}/${entityId}`

test('Notifications of one FSP and entity keep their order, and none is sent behind a parked one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const states = new Map<string, string>()
      const { attempts, unanswered, sent, stored } = scene((id) => ({
        taken: states.get(id) === 'taken',
        blocked: states.get(id) === 'blocked',
        modified: states.get(id) === 'modified',
      }))
      const began: Notification[] = []
      /** The number of stored results when each attempt began. */
      const storedBefore = new Map<string, number>()
      const groups: Promise<void>[] = []
      const answer = (fsp: string, status: number) => unanswered.get(fsp)?.shift()?.answer(status)
      for (const next of steps) {
        if (next.type === 'BEGIN') {
          const notification = notificationFor({ url: 'http://127.0.0.1:9', ...next })
          states.set(notification.id, next.state)
          began.push(notification)
          storedBefore.set(notification.id, stored.length)
          groups.push(attempts.begin([{ notification, needsLookUp: next.state !== 'new' }]))
        } else {
          answer(next.fspId, next.status)
        }
        await turn()
      }
      const isOpen = () => began.some(({ id }) => attempts.has(id))
      for (let turns = 0; isOpen() && turns < 1_000; turns++) {
        for (const fsp of unanswered.keys()) answer(fsp, 200)
        await turn()
      }
      expect(isOpen()).toBe(false)
      await Promise.all(groups)
      const expected = began.filter(({ id }) => states.get(id) !== 'taken')
      for (const chain of new Set(began.map(chainOf))) {
        const idsOf = (all: readonly Notification[]) =>
          all.filter((one) => chainOf(one) === chain).map(({ id }) => id)
        const results = stored.filter(({ notification }) => chainOf(notification) === chain)
        expect(results.map(({ notification: { id } }) => id)).toEqual(idsOf(expected))
        const sentOfChain = idsOf(sent)
        expect(sentOfChain).toEqual(idsOf(expected).filter((id) => sentOfChain.includes(id)))
        expect(new Set(sentOfChain).size).toBe(sentOfChain.length)
        expect(sentOfChain.filter((id) => states.get(id) === 'modified')).toEqual([])
        for (const [at, { type, notification: parked }] of results.entries()) {
          if (type !== 'WAITS') continue
          const parkedAt = stored.findIndex(({ notification }) => notification === parked)
          const behind = idsOf(expected)
            .slice(at + 1)
            .filter((id) => (storedBefore.get(id) ?? 0) <= parkedAt)
          expect(sentOfChain.filter((id) => behind.includes(id))).toEqual([])
        }
      }
    }),
  )
})

test('A chain waits neither for a chain of another FSP nor for one of another entity', async () => {
  const { attempts, unanswered, sent } = scene()
  const to = (fsp: string, entityId: string) => ({
    notification: notificationFor({ url: 'http://127.0.0.1:9', fspId: fsp, entityId }),
    needsLookUp: false,
  })
  const all = [to('hangs', 'a'), to('answers', 'a'), to('answers', 'b'), to('answers', 'a')]
  const ended = attempts.begin(all)
  expect(sent).toHaveLength(3)
  unanswered.get('answers')?.shift()?.answer(200)
  await turn()
  expect(sent).toHaveLength(4)
  for (const each of [...unanswered.values()].flat()) each.answer(200)
  await ended
})

test('While a notification is looked up, the ones behind it in its chain wait', async () => {
  const { attempts, unanswered, sent } = scene()
  const of = (needsLookUp: boolean) => ({
    notification: notificationFor({ url: 'http://127.0.0.1:9', entityId: 'a' }),
    needsLookUp,
  })
  const [first, second] = [of(true), of(false)]
  const ended = attempts.begin([first, second])
  expect(sent).toEqual([])
  await turn()
  expect(sent).toEqual([first.notification])
  unanswered.get('bluewallet')?.shift()?.answer(200)
  await turn()
  unanswered.get('bluewallet')?.shift()?.answer(200)
  await ended
  expect(sent).toEqual([first.notification, second.notification])
})

test('A notification beyond the bound on the unanswered bytes of its FSP is parked at once', async () => {
  const { attempts, unanswered, sent, stored } = scene()
  const of = (fsp: string, entityId: string, length: number) => {
    const notification = notificationFor({ url: 'http://127.0.0.1:9', fspId: fsp, entityId })
    return { notification: { ...notification, body: Buffer.alloc(length) }, needsLookUp: false }
  }
  const tooLarge = of('hangs', 'a', 1_500)
  const beyond = of('hangs', 'b', 1)
  const [first, fits, full] = [600, 400, 1].map((length, at) => of('answers', `e${at}`, length))
  if (!first || !fits || !full) throw new Error('three were made')
  const ended = attempts.begin([tooLarge, beyond, first, fits, full])
  expect(sent).toEqual([tooLarge, first, fits].map(({ notification }) => notification))
  expect(stored).toMatchObject(
    [beyond, full].map(({ notification }) => ({ type: 'WAITS', notification })),
  )
  unanswered.get('answers')?.shift()?.answer(200)
  await turn()
  const later = of('answers', 'e3', 600)
  const laterEnded = attempts.begin([later])
  expect(sent.at(-1)).toBe(later.notification)
  for (const each of [...unanswered.values()].flat()) each.answer(200)
  await Promise.all([ended, laterEnded])
})
