/** The processes in which the stories run the services. */
import { serviceNames, type ServiceName } from '@causeway/services'

/** A process of the hub: the second one of a service has a 2 after its name. */
export type ProcessName = ServiceName | `${ServiceName}-${number}`

/**
 * Two processes of the ledger, one of which is the standby of the other, and two edges, of which an
 * FSP uses one that is ready.
 */
export const processNames: readonly ProcessName[] = [
  ...serviceNames,
  'participant-lifecycle-2',
  'fspiop-api-2',
]

export const serviceOf = (name: ProcessName) => name.replace(/-\d+$/, '') as ServiceName

/** The name as schemas, roles and settings have it. */
export const snake = (service: string) => service.replaceAll('-', '_')
