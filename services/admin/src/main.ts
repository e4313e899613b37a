/** The service in a process of its own; any number of replicas. */
import { shipLog, topics } from '@causeway/events'
import { runDistributed } from '@causeway/runtime'
import { callersOf, callsOf, servicesOf } from '@causeway/services'
import { start } from './service.ts'
import { settings } from './settings.ts'

await runDistributed('admin', {
  settings,
  start,
  topics,
  callersOf,
  servicesOf,
  shipLog: (parts) => shipLog('admin', parts),
  // It serves no calls.
  operatorCheck: undefined,
  providers: callsOf('admin'),
})
