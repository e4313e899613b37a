/** The gRPC methods of the service. */
import { auditEntry } from '@causeway/events'
import { isCorrelationId } from '@causeway/fspiop'
import type { HandledCall, Handlers } from '@causeway/grpc'
import type {
  ConfigurationSet,
  configurationChangesService,
  configurationsService,
} from '@causeway/protos'
import {
  decideChange,
  requestChange,
  subjectOf,
  type ChangesParts,
  type RequestOutcome,
} from './changes.ts'
import {
  configurationMessage,
  isRefused,
  readNewValues,
  readSchema,
  requestMessage,
} from './contract.ts'
import { register, type Registered } from './domain/configuration.ts'
import { refuse, type Refused } from './domain/refused.ts'
import { globalContext } from './global.ts'
import { requestTypes, type RequestType } from './domain/request.ts'
import {
  configurationOfContext,
  configurations,
  lockConfiguration,
  lockContext,
  readClock,
  requests,
  saveConfiguration,
} from './store.ts'

const listed_max = 1_000
const note_length_max = 1_024
const idPattern = /^[A-Za-z0-9_.:-]{1,64}$/

export function configurationHandlers(parts: ChangesParts): Handlers<typeof configurationsService> {
  const { db } = parts
  return {
    RegisterConfigurationSchema: async (message, call) => {
      const owner = ownerFault(message.boundedContextId, call)
      return configurationAnswer(owner ?? (await registerSchema(parts, message)))
    },
    ListConfigurations: async () => ({
      configurations: (await configurations(db, listed_max)).map(configurationMessage),
    }),
    GetConfiguration: async ({ boundedContextId: contextId }) => {
      const configuration = await configurationOfContext(db, contextId)
      return configuration === undefined
        ? configurationAnswer(refuse('CONTEXT_UNKNOWN', `${contextId} has registered nothing`))
        : configurationAnswer({ type: 'UNCHANGED', configuration })
    },
  }
}

export function changeHandlers(parts: ChangesParts): Handlers<typeof configurationChangesService> {
  return {
    RequestConfigurationChange: async (message) => {
      const { requestId: id, type, boundedContextId: contextId, actor } = message
      const { schemaVersion, iterationNumber } = message
      if (!isCorrelationId(id)) return requestAnswer(badNewId)
      if (!isRequestType(type)) return requestAnswer(badType(type))
      const newValues = readNewValues(message.newValues)
      if (isRefused(newValues)) return requestAnswer(newValues)
      const base = { schemaVersion, iterationNumber, newValues }
      const asked = { ...base, id, type, contextId, createdBy: nameOf(actor) }
      return requestAnswer(await requestChange(parts, asked))
    },
    DecideConfigurationChange: async ({ requestId: id, type, decision, note, actor }) => {
      const fault = decisionFault({ requestId: id, decision, note })
      if (fault !== undefined) return requestAnswer(fault)
      const verdict = decision === 'APPROVE' ? decision : 'REJECT'
      const by = nameOf(actor)
      return requestAnswer(await decideChange(parts, { id, type, decision: verdict, note, by }))
    },
    ListConfigurationChanges: async ({ type = '', state = '' }) => ({
      requests: (await requests(parts.db, type, state, listed_max)).map(requestMessage),
    }),
  }
}

/** What is wrong with a decision of any kind of request. */
export function decisionFault({
  requestId,
  decision,
  note,
}: Readonly<Record<'requestId' | 'decision' | 'note', string>>): Refused | undefined {
  if (!idPattern.test(requestId)) {
    return refuse('INVALID', 'requestId has 1 to 64 letters, digits and _.:-')
  }
  if (decision !== 'APPROVE' && decision !== 'REJECT') {
    return refuse('INVALID', 'decision is APPROVE or REJECT')
  }
  return note.length > note_length_max
    ? refuse('INVALID', `note has at most ${note_length_max} characters`)
    : undefined
}

export function registerSchema({ db, bus }: ChangesParts, message: ConfigurationSet) {
  const schema = readSchema(message)
  if (isRefused(schema)) return Promise.resolve(schema)
  const { contextId } = schema
  return db.transaction(async (tx): Promise<Registered> => {
    await lockContext(tx, contextId)
    const stored = await lockConfiguration(tx, contextId)
    const registered = register(stored, schema)
    if (registered.type !== 'STORE') return registered
    const { configuration } = registered
    await saveConfiguration(tx, configuration)
    bus.announce(tx, [
      auditEntry('config', {
        actor: message.actor ?? contextId,
        action: 'RegisterConfigurationSchema',
        subject: subjectOf(contextId),
        before: stored === undefined ? null : { schemaVersion: stored.schemaVersion },
        after: { schemaVersion: configuration.schemaVersion },
        at: await readClock(tx),
      }),
    ])
    return registered
  })
}

/** A service registers only itself; admin does it for components outside the hub. */
export function ownerFault(contextId: string, { caller }: HandledCall): Refused | undefined {
  if (contextId === globalContext) return refuse('NOT_OWNER', `${contextId} has no owner`)
  if (caller === undefined || caller === contextId || caller === 'admin') return undefined
  return refuse('NOT_OWNER', `${caller} may not register ${contextId}`)
}

export const badNewId = refuse('INVALID', 'requestId is a UUID or a ULID')

function badType(type: string): Refused {
  return refuse('INVALID', `${type} is not a request type`)
}

/** Unknown actors count as one person: one cannot approve what another has requested. */
export function nameOf(actor: string): string {
  return actor === '' ? 'unknown' : actor
}

function isRequestType(type: string): type is RequestType {
  return (requestTypes as readonly string[]).includes(type)
}

function configurationAnswer(outcome: Registered) {
  return outcome.type === 'REFUSE'
    ? { refusal: refusalMessage(outcome) }
    : { configuration: configurationMessage(outcome.configuration) }
}

function requestAnswer(outcome: RequestOutcome) {
  return outcome.type === 'REFUSE'
    ? { refusal: refusalMessage(outcome) }
    : { request: requestMessage(outcome.request) }
}

export function refusalMessage({ reason, detail }: Refused) {
  return { reason, detail }
}
