/**
 * Values of a component that a second person approves: all of them change or none, and only if they are
 * those that the request is based on. The values and the event are one transaction.
 */
import type { ChangeKind } from '@causeway/approvals'
import type { EventBus } from '@causeway/bus'
import { newEvent } from '@causeway/events'
import { approvalKinds } from '@causeway/services'
import { schemaFault, valuesContent, type ValuesContent } from './contract.ts'
import { changeValues, type Configuration, type SetValues } from './domain/configuration.ts'
import { refuse, type RefusedConfiguration } from './domain/refusal.ts'
import { lockConfiguration, saveConfiguration } from './store.ts'

export function configurationValuesKind(bus: EventBus): ChangeKind<ValuesContent> {
  return {
    actions: { request: 'ChangeConfigurationValues', decide: 'ApproveConfigurationValues' },
    content: valuesContent,
    privilegeOf: () => approvalKinds.ConfigurationValues.privilege,
    subjectOf: ({ boundedContextId }) => subjectOf(boundedContextId),
    auditedOf: newValuesOf,
    turnOf: ({ boundedContextId }) => subjectOf(boundedContextId),
    async apply(tx, content, { createdBy: by, now: at }) {
      const configuration = await lockConfiguration(tx, content.boundedContextId)
      if (configuration === undefined) return unknownContext(content.boundedContextId)
      const changed = changeValues(configuration, content, schemaFault, { at, by })
      if (changed.type === 'REFUSE') return changed
      await saveConfiguration(tx, changed.configuration)
      bus.announce(tx, [valuesChanged(changed.configuration, changed.replaced)])
      const after = newValuesOf(content)
      return { type: 'DONE', before: null, after, replaces: changed.replaced }
    },
  }
}

function newValuesOf({ newValues }: ValuesContent) {
  return { newValues: Object.fromEntries(newValues.map(({ name, value }) => [name, value])) }
}

/**
 * The event that makes the component read its values again.
 *
 * @param changed the values by name, as they were
 */
export function valuesChanged(
  { contextId, schemaVersion, iterationNumber }: Configuration,
  changed: SetValues,
) {
  return newEvent('config', 'ConfigurationValuesChanged', {
    boundedContextId: contextId,
    schemaVersion,
    iterationNumber,
    changedKeys: Object.keys(changed),
  })
}

export function subjectOf(contextId: string): string {
  return `configurations/${contextId}`
}

export function unknownContext(contextId: string): RefusedConfiguration {
  return refuse('CONTEXT_UNKNOWN', `${contextId} has registered nothing`)
}
