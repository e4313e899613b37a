/** Runs the service in its own process, one of any number. */
import { operatorCheck } from '@causeway/component-keys'
import { shipLog, topics } from '@causeway/events'
import { callersOf } from '@causeway/protos'
import { runDistributed } from '@causeway/runtime'
import { callsOf } from '@causeway/services'
import { start } from './service.ts'
import { settings } from './settings.ts'

await runDistributed('quoting', {
  settings,
  start,
  topics,
  callersOf,
  shipLog: (parts) => shipLog('quoting', parts),
  operatorCheck,
  providers: callsOf('quoting'),
})
