/** Where a service may send requests to registered addresses, by its settings. */
import { egressModes, openEgress, type Egress, type EgressChoices } from '@causeway/http'
import { reportInsecureModes, type Logger } from '@causeway/process'
import type { ProcessParts } from './process-parts.ts'

/** Reports what the settings relax. Throws StartError for settings that do not go together. */
export function openServiceEgress(
  service: string,
  choices: EgressChoices,
  { shared, metrics, health }: Pick<ProcessParts, 'shared' | 'metrics' | 'health'>,
  log: Logger,
): Egress {
  const egress = openEgress(choices, shared.isSole)
  reportInsecureModes(service, egressModes(choices), { log, metrics, health })
  return egress
}
