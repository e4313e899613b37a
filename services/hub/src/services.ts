/** The services of a hub in one process, except for the two edges, which admit work. */
import * as accountLookup from '@causeway/account-lookup'
import * as audit from '@causeway/audit'
import * as authService from '@causeway/auth-service'
import * as config from '@causeway/config'
import * as notifications from '@causeway/notifications'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import * as quoting from '@causeway/quoting'
import * as scheduler from '@causeway/scheduler'
import type { ServiceName } from '@causeway/services'
import * as settlements from '@causeway/settlements'
import * as transfers from '@causeway/transfers'

/** In the order in which they start: those that others call come first. */
export const innerServices = {
  audit,
  config,
  'participant-lifecycle': participantLifecycle,
  'auth-service': authService,
  scheduler,
  settlements,
  'account-lookup': accountLookup,
  quoting,
  transfers,
  notifications,
} satisfies Readonly<Record<Exclude<ServiceName, 'fspiop-api' | 'admin'>, unknown>>
