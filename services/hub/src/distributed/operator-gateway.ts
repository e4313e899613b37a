/** The operator gateway as a process. */
import { run } from '@causeway/process'
import { openGateway } from './gateway.ts'
import { operatorGatewaySettings } from './settings.ts'

await run('operator-gateway', operatorGatewaySettings, openGateway)
