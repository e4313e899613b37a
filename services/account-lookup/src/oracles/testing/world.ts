/** The environment of the oracle tests: the service, and a new external oracle per test. */
import type { Message, OutgoingMessage } from '@causeway/bus'
import type { Calls } from '@causeway/grpc'
import { oraclesService, type Oracle } from '@causeway/protos'
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'
import { gist, openWorld, type AccountLookupWorld } from '../../testing/world.ts'
import { openOracle, type OracleStandIn } from './oracle.ts'

export const calls_max = 4

/** The circuit of an oracle does not open during a test. */
export const patient = { ACCOUNT_LOOKUP_ORACLE_TIMEOUT_MS: 60_000 }

export const proposal = {
  oracleIdType: 'ALIAS',
  endpointType: 'URL',
  isDefault: false,
}

let id = 0

/** One that no other test has used. */
export function alias(): string {
  return `alias-${++id}`
}

export interface OracleWorld {
  readonly service: AccountLookupWorld
  readonly oracle: OracleStandIn
  readonly administration: Calls<typeof oraclesService>
  /** Runs with a service that has other settings. */
  readonly withSettings: (
    changed: Parameters<typeof openWorld>[0],
    work: () => Promise<void>,
  ) => Promise<void>
  readonly create: (changes?: Partial<Oracle>) => Promise<Oracle>
  /** A readable form of the results of events about one party. */
  readonly gistsOf: (...events: readonly OutgoingMessage[]) => Promise<readonly string[]>
  readonly saidOf: (...events: readonly OutgoingMessage[]) => Promise<readonly Message[]>
  readonly methods: () => readonly string[]
  readonly belongs: (identifier: string, fspId: string, more?: object) => void
  /** Replaces the service after a crash. */
  readonly connect: (service: AccountLookupWorld) => void
}

/** Opens it before the tests of the file that calls this, and closes it after them. */
export function useOracles(): OracleWorld {
  let opened: AccountLookupWorld | undefined
  let standIn: OracleStandIn | undefined
  const world: OracleWorld = {
    get service() {
      return begun(opened)
    },
    get oracle() {
      return begun(standIn)
    },
    get administration() {
      return world.service.parts.grpc.client(oraclesService, 'account-lookup')
    },
    async withSettings(changed, work) {
      const common = opened
      opened = await openWorld(changed)
      try {
        await work()
      } finally {
        await world.oracle.stop()
        await world.service.stop()
        opened = common
      }
    },
    async create(changes = {}) {
      const { oracle } = await world.administration.CreateOracle({
        ...proposal,
        endpointValue: world.oracle.url,
        ...changes,
      })
      if (oracle === null || oracle === undefined) throw new Error('the oracle was refused')
      return oracle
    },
    gistsOf: async (...events) => (await world.saidOf(...events)).map(gist),
    async saidOf(...events) {
      world.service.published.length = 0
      await world.service.publish(...events)
      return world.service.eventsFor(events[0]?.key ?? '', events.length)
    },
    methods: () => world.oracle.calls.map(({ method }) => method),
    belongs(identifier, fspId, more = {}) {
      world.oracle.entries.set(`ALIAS/${identifier}`, [{ fspId, ...more }])
    },
    connect: (service) => {
      opened = service
    },
  }
  beforeAll(async () => {
    opened = await openWorld({
      trial_every_ms: 10,
      failures_max: 3,
      calls_max,
    })
  })
  afterAll(() => world.service.stop())
  beforeEach(async () => {
    world.service.published.length = 0
    standIn = await openOracle()
  })
  afterEach(async () => {
    const { oracles } = await world.administration.ListOracles({})
    for (const { oracleId } of oracles) await world.administration.RemoveOracle({ oracleId })
    await world.oracle.stop()
  })
  return world
}

function begun<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the tests have not begun')
  return value
}
