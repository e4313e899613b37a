/** Runs the service in its own process, one of any number. */
import { shipLog, topics } from '@causeway/events'
import { runDistributed } from '@causeway/runtime'
import { callersOf, callsOf, servicesOf } from '@causeway/services'
import { start } from './service.ts'
import { settings } from './settings.ts'

await runDistributed('auth-service', {
  settings,
  start,
  topics,
  callersOf,
  servicesOf,
  shipLog: (parts) => shipLog('auth-service', parts),
  // It checks its own calls.
  operatorCheck: undefined,
  providers: callsOf('auth-service'),
})
