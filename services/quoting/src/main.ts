/** Runs the service in its own process, one of any number. */
import { operatorCheck } from '@causeway/keys/components'
import { shipLog, topics } from '@causeway/events'
import { runDistributed } from '@causeway/runtime'
import { callersOf, callsOf, servicesOf } from '@causeway/services'
import { start } from './service.ts'
import { settings } from './settings.ts'

await runDistributed('quoting', {
  settings,
  start,
  topics,
  callersOf,
  servicesOf,
  shipLog: (parts) => shipLog('quoting', parts),
  operatorCheck,
  providers: callsOf('quoting'),
})
