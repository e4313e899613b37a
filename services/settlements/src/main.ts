/** Runs the service in its own process, as one of any number of replicas. */
import { operatorCheck } from '@causeway/keys/components'
import { shipLog, topics } from '@causeway/events'
import { runDistributed } from '@causeway/runtime'
import { callersOf, callsOf, servicesOf } from '@causeway/services'
import { start } from './service.ts'
import { settings } from './settings.ts'

await runDistributed('settlements', {
  settings,
  start,
  topics,
  callersOf,
  servicesOf,
  shipLog: (parts) => shipLog('settlements', parts),
  operatorCheck,
  providers: callsOf('settlements'),
})
