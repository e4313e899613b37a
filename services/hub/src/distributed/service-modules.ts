/**
 * The services of a hub by name, each loaded when it is needed, in the order in which they start.
 * A file of its own: the program that imports it runs when it is loaded.
 */
import type { Service, SettingDefinitions } from '@causeway/process'
import type { ProcessParts } from '@causeway/runtime'
import type { ServiceName } from '@causeway/services'

export interface ServiceModule {
  readonly settings: SettingDefinitions
  /** Its settings are among those of all. */
  readonly start: (settings: never, parts: ProcessParts) => Promise<Service>
}

/** Those that others call come first, and the two edges, which admit work, last. */
export const serviceModules: Readonly<Record<ServiceName, () => Promise<ServiceModule>>> = {
  audit: () => import('@causeway/audit'),
  config: () => import('@causeway/config'),
  'participant-lifecycle': () => import('@causeway/participant-lifecycle'),
  'auth-service': () => import('@causeway/auth-service'),
  scheduler: () => import('@causeway/scheduler'),
  settlements: () => import('@causeway/settlements'),
  'account-lookup': () => import('@causeway/account-lookup'),
  quoting: () => import('@causeway/quoting'),
  transfers: () => import('@causeway/transfers'),
  notifications: () => import('@causeway/notifications'),
  'fspiop-api': () => import('@causeway/fspiop-api'),
  admin: () => import('@causeway/admin'),
}
