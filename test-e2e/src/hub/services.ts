/** The processes in which the stories run the services. */
import { serviceNames, type ServiceName } from '@causeway/services'

/** A process of the hub: the second one of a service has a 2 behind its name. */
export type ProcessName = ServiceName | `${ServiceName}-${number}`

/**
 * Of the ledger there are two, one of which waits for the other's end, and two edges, of which an FSP
 * takes one that is there.
 */
export const processNames: readonly ProcessName[] = [
  ...serviceNames,
  'participant-lifecycle-2',
  'fspiop-api-2',
]

export const serviceOf = (name: ProcessName) => name.replace(/-\d+$/, '') as ServiceName

/** As schemas, roles and settings are named. */
export const snake = (service: string) => service.replaceAll('-', '_')
