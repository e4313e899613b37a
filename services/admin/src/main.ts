/** The service in a process of its own; any number of replicas. */
import { shipLog, topics } from '@causeway/events'
import { callersOf } from '@causeway/protos'
import { runDistributed } from '@causeway/runtime'
import { callsOf } from '@causeway/services'
import { start } from './service.ts'
import { settings } from './settings.ts'

await runDistributed('admin', {
  settings,
  start,
  topics,
  callersOf,
  shipLog: (parts) => shipLog('admin', parts),
  providers: callsOf('admin'),
})
