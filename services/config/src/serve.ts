/** The gRPC methods of the service. */
import { isRefused, refusalMessage } from '@causeway/services'
import { readClock } from '@causeway/postgres'
import type { EventBus } from '@causeway/bus'
import { auditEntry } from '@causeway/events'
import type { HandledCall, Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import type { ConfigurationSet, configurationsService } from '@causeway/protos'
import { subjectOf, unknownContext, valuesChanged } from './approval.ts'
import { configurationMessage, readSchema } from './contract.ts'
import { register, type Registered } from './domain/configuration.ts'
import { refuse, type RefusedConfiguration } from './domain/refusal.ts'
import { globalContext } from './global.ts'
import {
  configurationOfContext,
  configurations,
  lockConfiguration,
  lockContext,
  saveConfiguration,
} from './store.ts'

const listed_max = 1_000

export interface ConfigParts {
  readonly db: Database
  readonly bus: EventBus
}

export function configurationHandlers(parts: ConfigParts): Handlers<typeof configurationsService> {
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
        ? configurationAnswer(unknownContext(contextId))
        : configurationAnswer({ type: 'UNCHANGED', configuration })
    },
  }
}

export function registerSchema({ db, bus }: ConfigParts, message: ConfigurationSet) {
  const schema = readSchema(message)
  if (isRefused(schema)) return Promise.resolve(schema)
  const { contextId } = schema
  return db.transaction(async (tx): Promise<Registered> => {
    await lockContext(tx, contextId)
    const stored = await lockConfiguration(tx, contextId)
    const changed = { at: await readClock(tx), by: message.actor ?? contextId }
    const registered = register(stored, schema, changed)
    if (registered.type !== 'STORE') return registered
    const { configuration, dropped } = registered
    const droppedNames = Object.keys(dropped)
    await saveConfiguration(tx, configuration)
    bus.announce(tx, [
      auditEntry('config', {
        actor: changed.by,
        action: 'RegisterConfigurationSchema',
        subject: subjectOf(contextId),
        before:
          stored === undefined
            ? null
            : {
                schemaVersion: stored.schemaVersion,
                ...(droppedNames.length === 0 ? {} : { droppedValues: dropped }),
              },
        after: { schemaVersion: configuration.schemaVersion },
        at: changed.at,
      }),
      ...(droppedNames.length === 0 ? [] : [valuesChanged(configuration, dropped)]),
    ])
    return registered
  })
}

/** A service registers only itself; admin does it for components outside the hub. */
export function ownerFault(
  contextId: string,
  { callers }: HandledCall,
): RefusedConfiguration | undefined {
  if (contextId === globalContext) return refuse('NOT_OWNER', `${contextId} has no owner`)
  if (callers === undefined || callers.includes(contextId) || callers.includes('admin')) {
    return undefined
  }
  return refuse('NOT_OWNER', `${callers.join()} may not register ${contextId}`)
}

function configurationAnswer(outcome: Registered) {
  return outcome.type === 'REFUSE'
    ? { refusal: refusalMessage(outcome) }
    : { configuration: configurationMessage(outcome.configuration) }
}
