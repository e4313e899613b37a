/** Runs the service in its own process, as one of any number of replicas. */
import { operatorCheck } from '@causeway/component-keys'
import { shipLog, topics } from '@causeway/events'
import { callersOf } from '@causeway/protos'
import { runDistributed } from '@causeway/runtime'
import { callsOf } from '@causeway/services'
import { start } from './service.ts'
import { settings } from './settings.ts'

await runDistributed('settlements', {
  settings,
  start,
  topics,
  callersOf,
  shipLog: (parts) => shipLog('settlements', parts),
  operatorCheck,
  providers: callsOf('settlements'),
})
