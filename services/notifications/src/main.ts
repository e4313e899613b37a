/** Runs the service in its own process; any number of processes can run. */
import { operatorCheck } from '@causeway/keys/components'
import { shipLog, topics } from '@causeway/events'
import { runDistributed } from '@causeway/runtime'
import { callersOf, callsOf, servicesOf } from '@causeway/services'
import { start } from './service.ts'
import { settings } from './settings.ts'

await runDistributed('notifications', {
  settings,
  start,
  topics,
  callersOf,
  servicesOf,
  shipLog: (parts) => shipLog('notifications', parts),
  operatorCheck,
  providers: callsOf('notifications'),
})
