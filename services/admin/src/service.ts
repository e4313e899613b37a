/** The administration API of the hub; it stores nothing and asks the services that do. */
import { serveHttp, StartError, type Service, type Start } from '@causeway/runtime'
import { operatorApp } from './http.ts'
import { operations } from './routes.ts'
import type { Settings } from './settings.ts'
import { connect } from './upstream.ts'

export interface Admin extends Service {
  /** Where it listens, without a slash at the end. */
  readonly url: string
}

export const start: Start<Settings, Admin> = async (settings, parts) => {
  refuseStrangers(settings)
  const log = parts.log.child({ service: 'admin' })
  const upstream = connect(parts.grpc)
  const server = await serveHttp({
    name: 'administration API (OPERATOR_PORT)',
    host: settings.OPERATOR_HOST,
    port: settings.OPERATOR_PORT,
    handler: operatorApp(operations({ ...upstream, settings }), {
      compatibility: settings.COMPATIBILITY,
      log,
    }),
    log,
  })
  log.warn({ url: server.url }, 'OPERATOR_IDENTITY=none: whoever reaches this port is the operator')
  return { url: server.url, stop: () => server.stop() }
}

/** Without identity the port must be out of everybody else's reach. */
function refuseStrangers({ OPERATOR_HOST: host }: Settings): void {
  if (/^(127(\.\d{1,3}){3}|::1|localhost)$/.test(host)) return
  throw new StartError(
    `OPERATOR_HOST=${host} lets others in, and OPERATOR_IDENTITY=none does not ask who they are: set OPERATOR_HOST=127.0.0.1.`,
  )
}
