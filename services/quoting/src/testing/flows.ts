/** The environment of quote tests, reset before each test. */
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, afterEach, beforeAll } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { RequestEvent, ResponseEvent } from '../quotes/contract.ts'
import { payee, payer, requestEvent, responseEvent, started } from './messages.ts'
import { openWorld, participantWith, type QuotingWorld } from './world.ts'

export type PayloadChanges<Event extends { readonly payload: object }> = Partial<Event['payload']>

export interface Flows {
  readonly parts: TestParts
  readonly world: QuotingWorld
  /** Creates a quote whose request was sent to the payee FSP; returns its id. */
  readonly asked: (changes?: PayloadChanges<RequestEvent>) => Promise<string>
  /** Creates an answered quote. */
  readonly answered: (changes?: PayloadChanges<ResponseEvent>) => Promise<string>
  readonly stateOf: (id: string) => Promise<string | undefined>
}

/** Opens it before the tests of the file that calls this, and closes it after them. */
export function useFlows(): Flows {
  let opened: { readonly parts: TestParts; readonly world: QuotingWorld } | undefined
  const its = () => {
    if (opened === undefined) throw new Error('the tests have not begun')
    return opened
  }
  beforeAll(async () => {
    const parts = await openTestParts()
    opened = { parts, world: await openWorld(parts) }
  })
  afterAll(async () => {
    const { parts, world } = its()
    await world.db.close()
    await parts.stop()
  })
  afterEach(async () => {
    const { world } = its()
    world.after(Date.parse(started) - Date.parse(world.iso()))
    for (const name of [payer, payee]) {
      world.participants.set(name, participantWith(name, ['USD', 'EUR']))
    }
    await world.setRules()
  })
  const asked = async (changes: PayloadChanges<RequestEvent> = {}) => {
    const id = randomUUID()
    await its().world.handle(requestEvent(id, changes))
    return id
  }
  return {
    get parts() {
      return its().parts
    },
    get world() {
      return its().world
    },
    asked,
    answered: async (changes = {}) => {
      const id = await asked()
      await its().world.handle(responseEvent(id, changes))
      return id
    },
    stateOf: async (id) => (await its().world.quote(id))?.state,
  }
}
