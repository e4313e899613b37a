/** The processes in which the stories run the services. */
import { serviceNames, servicesOf, type ServiceName } from '@causeway/services'

type ProgramName = ServiceName | 'path' | 'platform'

/** A process of the hub: the second one of a program has a 2 after its name. */
export type ProcessName = ProgramName | `${ProgramName}-${number}`

/**
 * Two processes of the ledger, one of which is the standby of the other, and two edges, of which an
 * FSP uses one that is ready.
 */
export const processNames: readonly ProcessName[] = [
  ...serviceNames,
  'participant-lifecycle-2',
  'fspiop-api-2',
]

/** The services in groups, two processes of each but the platform. */
export const groupProcessNames: readonly ProcessName[] = [
  'path',
  'path-2',
  'participant-lifecycle',
  'participant-lifecycle-2',
  'platform',
]

/** The name of a service or of a group. */
export const programOf = (name: ProcessName) => name.replace(/-\d+$/, '') as ProgramName

export const servicesIn = (name: ProcessName) => servicesOf(programOf(name))

/** The name as schemas, roles and settings have it. */
export const snake = (service: string) => service.replaceAll('-', '_')
