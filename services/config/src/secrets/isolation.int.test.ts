/** No order of registrations, changes and reads shows a component the secret of another one. */
import { randomUUID } from 'node:crypto'
import * as authService from '@causeway/auth-service'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openWorld, type SecretsWorld } from './testing/world.ts'

let world: SecretsWorld

beforeAll(async () => {
  world = await openWorld(authService)
  await world.register('pricing', 'TOKEN', 'PASSWORD')
  await world.register('reports', 'TOKEN', 'PASSWORD')
})

afterAll(() => world.stop())

const contexts = ['pricing', 'reports'] as const
type Context = (typeof contexts)[number]

const context = fc.constantFrom(...contexts)
const name = fc.constantFrom('TOKEN', 'PASSWORD')

const step = fc.oneof(
  fc.record({ type: fc.constant('SET' as const), context, name }),
  fc.record({ type: fc.constant('REJECT' as const), context, name }),
  fc.record({ type: fc.constant('REMOVE' as const), context, name }),
  fc.record({ type: fc.constant('READ' as const), context, signer: context, again: fc.boolean() }),
)

/** Each value names its owner. */
const newValue = (owner: Context) => `${owner}-${randomUUID()}`

async function read(of: Context, signer: Context, again: boolean) {
  const request = world.signed(signer, of)
  const first = await world.read(of, request)
  const answers = again ? [first, await world.read(of, request)] : [first]
  return answers.map(({ values }) => values?.secrets)
}

test('No order of changes and reads shows a value to another component', async () => {
  const current: Record<Context, Record<string, string>> = { pricing: {}, reports: {} }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const each of steps) {
        const own = current[each.context]
        if (each.type === 'READ') {
          const [first, second] = await read(each.context, each.signer, each.again)
          expect(second).toBeUndefined()
          if (each.signer !== each.context) expect(first).toBeUndefined()
          else {
            const found = Object.fromEntries(
              (first ?? []).map(({ name: of, value }) => [of, value]),
            )
            expect(found).toEqual(own)
            expect(Object.values(found).every((value) => value.startsWith(each.signer))).toBe(true)
          }
        } else if (each.type === 'REMOVE') {
          await world.set(each.context, { [each.name]: null })
          delete own[each.name]
        } else {
          const value = newValue(each.context)
          const requestId = await world.request(each.context, { [each.name]: value })
          await world.decide(requestId, each.type === 'SET' ? 'APPROVE' : 'REJECT')
          if (each.type === 'SET') own[each.name] = value
        }
      }
    }),
    { numRuns: 25 },
  )
  expect(JSON.stringify([world.audited, world.changed])).not.toMatch(
    /(pricing|reports)-[0-9a-f]{8}-/,
  )
})
