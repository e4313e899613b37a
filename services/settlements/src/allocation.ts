/**
 * Allocation: each request for a transfer or a bulk is published again with its settlement model
 * and accounts, and each query follows its request, so that a transfer whose request was answered
 * 202 is never reported as unknown. Nothing is stored and nothing is refused: a repeat publishes
 * the same events with the same ids.
 */
import type { OutgoingMessage, PublishDerived } from '@causeway/bus'
import { derivedId, newEvent, onEvents, type DomainEvent, type EventName } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import { onParticipantStates } from '@causeway/participants'
import { readThrough, type Logger, type Service } from '@causeway/process'
import { participantsService, type Participant, type SettlementKind } from '@causeway/protos'
import type { ProcessParts } from '@causeway/runtime'

type RequestEvent = DomainEvent<'TransferPrepareRequested'>
type QueryEvent = DomainEvent<'TransferQueryReceived'>
type TransferEvent = RequestEvent | QueryEvent

type BulkRequestEvent = DomainEvent<'BulkTransferPrepareRequested'>
type BulkQueryEvent = DomainEvent<'BulkTransferQueryReceived'>
type BulkEvent = BulkRequestEvent | BulkQueryEvent

const consumedEvents = [
  'TransferPrepareRequested',
  'TransferQueryReceived',
  'ParticipantCreated',
  'ParticipantAccountAdded',
] as const satisfies readonly EventName[]

const bulkEvents = ['BulkTransferPrepareRequested', 'BulkTransferQueryReceived'] as const

/** Events per batch, one batch at a time: what arrives meanwhile forms the next one. */
const batch_max = 100
/** Bulks per batch. */
const bulks_max = 4

interface AllocationParts {
  readonly models: ModelBook
  readonly accounts: AccountHints
}

export async function openAllocation(
  { bus, grpc, log }: Pick<ProcessParts, 'bus' | 'grpc' | 'log'>,
  models: ModelBook,
): Promise<Service> {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  const accounts = openAccountHints(participants, log)
  const parts = { models, accounts }
  onParticipantStates({ grpc, log }, 'settlements', ({ participantId }) => {
    accounts.forget(participantId)
  })
  const ofTransfers = await onEvents(
    bus,
    'settlements',
    consumedEvents,
    (events, { publishDerived }) => handleBatch(parts, events, publishDerived),
    { batch_max },
  )
  // A separate group, so that no single transfer waits behind a body of 5 MiB.
  const ofBulks = await onEvents(
    bus,
    'settlements.bulks',
    bulkEvents,
    (events, { publishDerived }) => allocateBulks(parts, events, publishDerived),
    { batch_max: bulks_max, givesWay: true },
  )
  return {
    async stop() {
      await ofTransfers.stop()
      await ofBulks.stop()
    },
  }
}

async function handleBatch(
  parts: AllocationParts,
  events: readonly DomainEvent<(typeof consumedEvents)[number]>[],
  publishDerived: PublishDerived,
): Promise<void> {
  const ofTransfers: TransferEvent[] = []
  for (const event of events) {
    if ('participantId' in event.payload) parts.accounts.forget(event.payload.participantId)
    else ofTransfers.push(event as TransferEvent)
  }
  await allocate(parts, ofTransfers, publishDerived)
}

/** The events of one transfer keep their order. */
async function allocate(
  { models, accounts }: AllocationParts,
  events: readonly TransferEvent[],
  publishDerived: PublishDerived,
): Promise<void> {
  if (events.length === 0) return
  const requests = events.filter((event) => event.name === 'TransferPrepareRequested')
  const [chosen] = await Promise.all([
    models.find(new Set(requests.map(({ payload }) => payload.amount.currency))),
    accounts.load(requests.flatMap(({ payload }) => keysOf(payload, payload.amount.currency))),
  ])
  await publishDerived(
    events.map((event) =>
      event.name === 'TransferQueryReceived'
        ? forwarded(event, 'TransferQueryPassedOn')
        : allocated(event, chosen, accounts),
    ),
  )
}

/** The events of one bulk keep their order. */
async function allocateBulks(
  { models, accounts }: AllocationParts,
  events: readonly BulkEvent[],
  publishDerived: PublishDerived,
): Promise<void> {
  const requests = events.filter((event) => event.name === 'BulkTransferPrepareRequested')
  const needed = requests.map(({ payload }) => ({ payload, currencies: currenciesOf(payload) }))
  const [chosen] = await Promise.all([
    models.find(new Set(needed.flatMap(({ currencies }) => currencies))),
    accounts.load(
      needed.flatMap(({ payload, currencies }) =>
        currencies.flatMap((currency) => keysOf(payload, currency)),
      ),
    ),
  ])
  await publishDerived(
    events.map((event) =>
      event.name === 'BulkTransferQueryReceived'
        ? forwarded(event, 'BulkTransferQueryPassedOn')
        : allocatedBulk(event, chosen, accounts),
    ),
  )
}

function forwarded(
  { id, payload, traceparent }: QueryEvent | BulkQueryEvent,
  name: 'TransferQueryPassedOn' | 'BulkTransferQueryPassedOn',
): OutgoingMessage {
  return newEvent('settlements', name, payload, { id: derivedId(id, name), traceparent })
}

function allocated(
  { id, payload, relay, traceparent }: RequestEvent,
  chosen: ReadonlyMap<string, ModelChoice>,
  accounts: AccountHints,
): OutgoingMessage {
  const name = 'TransferPrepareAccountsAllocated'
  const { currency } = payload.amount
  const model = chosen.get(currency)
  return newEvent(
    'settlements',
    name,
    {
      ...payload,
      ...(model === undefined ? {} : modelMembers(model)),
      ...hintsOf(payload, currency, accounts),
    },
    { id: derivedId(id, name), relay, traceparent },
  )
}

function allocatedBulk(
  { id, payload, relay, traceparent }: BulkRequestEvent,
  chosen: ReadonlyMap<string, ModelChoice>,
  accounts: AccountHints,
): OutgoingMessage {
  const name = 'BulkTransferPrepareAccountsAllocated'
  const allocations = currenciesOf(payload).flatMap((currency) => {
    const model = chosen.get(currency)
    if (model === undefined) return []
    return [{ currency, ...modelMembers(model), ...hintsOf(payload, currency, accounts) }]
  })
  return newEvent(
    'settlements',
    name,
    { ...payload, allocations },
    { id: derivedId(id, name), relay, traceparent },
  )
}

function currenciesOf({ individualTransfers }: BulkRequestEvent['payload']): readonly string[] {
  return [...new Set(individualTransfers.map(({ amount }) => amount.currency))]
}

function modelMembers(model: ModelChoice) {
  return {
    settlementModelId: model.id,
    settlementModel: model.name,
    settles: settlesOf(model),
  }
}

interface Parties {
  readonly payerFsp: string
  readonly payeeFsp: string
}

function hintsOf(parties: Parties, currency: string, accounts: AccountHints) {
  const keys = keysOf(parties, currency)
  const [payerAccountId, payeeAccountId] = keys.map((key) => accounts.find(key))
  return {
    ...(payerAccountId === undefined ? {} : { payerAccountId }),
    ...(payeeAccountId === undefined ? {} : { payeeAccountId }),
  }
}

function keysOf({ payerFsp, payeeFsp }: Parties, currency: string): readonly AccountKey[] {
  return [
    { participant: payerFsp, currency },
    { participant: payeeFsp, currency },
  ]
}

interface AccountKey {
  readonly participant: string
  readonly currency: string
}

/**
 * A cache of the participants' POSITION accounts by currency. They are hints: account ids never
 * change, and the ledger decides whether the accounts may be used.
 */
interface AccountHints {
  /** Loads what is not cached; a failed load leaves accounts without hints. */
  load(keys: readonly AccountKey[]): Promise<void>
  find(key: AccountKey): number | undefined
  /** Invalidates the participant. */
  forget(participant: string): void
}

type PositionAccounts = ReadonlyMap<string, number>

const participants_max = 10_000
/** Limits the wait for a hint. */
const deadline_ms = 500

function openAccountHints(
  participants: Pick<Calls<typeof participantsService>, 'GetParticipantInfo'>,
  log: Logger,
): AccountHints {
  const cache = readThrough<PositionAccounts>({
    entries_max: participants_max,
    load: async (names) => {
      const answer = await participants.GetParticipantInfo({ names: [...names] }, { deadline_ms })
      return new Map(answer.participants.map((found) => [found.name, positionAccounts(found)]))
    },
  })
  const find = ({ participant, currency }: AccountKey) => cache.peek(participant)?.get(currency)
  return {
    find,
    async load(keys) {
      const missing = keys.filter((key) => find(key) === undefined)
      if (missing.length === 0) return
      try {
        await cache.fresh(missing.map(({ participant }) => participant))
      } catch (error) {
        // The request continues after any failure: it must not be lost because of a hint.
        log.warn({ err: error }, 'account hints could not be loaded')
      }
    },
    forget: (participant) => cache.forget(participant),
  }
}

function positionAccounts({ accounts }: Participant): PositionAccounts {
  return new Map(
    accounts
      .filter(({ ledgerAccountType }) => ledgerAccountType === 'POSITION')
      .map(({ currency, id }) => [currency, id]),
  )
}

/**
 * The settlement models, cached. Only a currency's own model is served from the cache: before it
 * answers with the default model, or none, it reads the store again, because any process may have
 * created a model. A deactivated model is noticed at the next refresh.
 */
export interface ModelBook {
  /** Currencies without a model are left out. */
  find(currencies: ReadonlySet<string>): Promise<ReadonlyMap<string, ModelChoice>>
  refresh(): Promise<void>
}

export function openModelBook(load: () => Promise<readonly ModelChoice[]>): ModelBook {
  let models: readonly ModelChoice[] = []
  return {
    async refresh() {
      models = await load()
    },
    async find(currencies) {
      if ([...currencies].some((currency) => !hasOwnModel(models, currency))) models = await load()
      const found = new Map<string, ModelChoice>()
      for (const currency of currencies) {
        const model = modelFor(models, currency)
        if (model !== undefined) found.set(currency, model)
      }
      return found
    },
  }
}

/** The part of a settlement model that allocation needs. */
export interface ModelChoice {
  readonly id: number
  readonly name: string
  readonly isActive: boolean
  readonly granularity: 'GROSS' | 'NET'
  readonly interchange: 'BILATERAL' | 'MULTILATERAL'
  readonly delay: 'IMMEDIATE' | 'DEFERRED'
  /** Empty: the default of currencies that have none of their own. */
  readonly currency: string
  readonly ledgerAccountType: string
}

/** The currency's own active model of positions, else the default model; of several the oldest. */
export function modelFor<Choice extends ModelChoice>(
  models: readonly Choice[],
  currency: string,
): Choice | undefined {
  return oldest(models, currency) ?? oldest(models, '')
}

/** Whether `modelFor` finds a model of the currency itself, which no newer model replaces. */
function hasOwnModel(models: readonly ModelChoice[], currency: string): boolean {
  return oldest(models, currency) !== undefined
}

export function settlesOf({ granularity, interchange, delay }: ModelChoice): SettlementKind {
  if (granularity === 'NET') return 'NET'
  if (delay === 'DEFERRED') return 'GROSS_DEFERRED'
  return interchange === 'BILATERAL' ? 'GROSS_IMMEDIATE' : 'GROSS_IMMEDIATE_MULTILATERAL'
}

function oldest<Choice extends ModelChoice>(
  models: readonly Choice[],
  currency: string,
): Choice | undefined {
  return models
    .filter((model) => model.isActive && model.ledgerAccountType === 'POSITION')
    .filter((model) => model.currency === currency)
    .reduce<Choice | undefined>(
      (first, model) => (first === undefined || model.id < first.id ? model : first),
      undefined,
    )
}
