/** Runs the service in its own process; any number of processes can run. */
import { operatorCheck } from '@causeway/keys/components'
import { shipLog, topics } from '@causeway/events'
import { runDistributed } from '@causeway/runtime'
import { callersOf, callsOf, servicesOf } from '@causeway/services'
import { start } from './service.ts'
import { settings } from './settings.ts'

await runDistributed('fspiop-api', {
  settings,
  start,
  topics,
  callersOf,
  servicesOf,
  shipLog: (parts) => shipLog('fspiop-api', parts),
  operatorCheck,
  providers: callsOf('fspiop-api'),
})
