/** The administration API of the hub; it stores nothing and calls the services that do. */
import { openOwnKey } from '@causeway/component-keys'
import { isLoopbackHost, openBasePaths, serveHttp } from '@causeway/http'
import {
  openSecurityEvents,
  reportInsecureModes,
  StartError,
  type InsecureMode,
  type Logger,
  type Service,
} from '@causeway/process'
import type { ProcessParts, Start } from '@causeway/runtime'
import { openAttempts } from './access/attempts.ts'
import { noGuard, openGuard, type Guard } from './access/guard.ts'
import { openPolicies } from './access/policy.ts'
import type { GuardedOperation } from './access/privileges.ts'
import { registerPrivileges } from './access/register.ts'
import { operatorApp } from './http.ts'
import { operations } from './routes.ts'
import type { Settings } from './settings.ts'
import { connect } from './upstream.ts'

export interface Admin extends Service {
  /** Its address, without a slash at the end. */
  readonly url: string
}

export const start: Start<Settings, Admin> = async (settings, parts) => {
  refuseStrangers(settings)
  const log = parts.log.child({ service: 'admin' })
  reportInsecureModes('admin', insecureModes(settings), { ...parts, log })
  const all = operations({ ...connect(parts.grpc), settings })
  const withoutBase = openBasePaths('OPERATOR_BASE_PATHS', settings.OPERATOR_BASE_PATHS, [
    '/console',
    ...all.map(({ path }) => path),
  ])
  const ownKey = await openOwnKey('admin', settings.ADMIN_COMPONENT_KEY_FILE, { ...parts, log })
  const access = await openAccess(settings, parts, log, all)
  const server = await serveHttp({
    name: 'administration API (OPERATOR_PORT)',
    host: settings.OPERATOR_HOST,
    port: settings.OPERATOR_PORT,
    handler: operatorApp(all, {
      guard: access.guard,
      refusesForeignPages: settings.OPERATOR_IDENTITY === 'none',
      attempts: openAttempts(),
      trustsForwardedAddress: settings.OPERATOR_FORWARDED_ADDRESS === 'on',
      compatibility: settings.COMPATIBILITY,
      withoutBase,
      security: openSecurityEvents('admin', { log, metrics: parts.metrics }),
      log,
    }),
    log,
  }).catch(async (error: unknown) => {
    await access.stop()
    await ownKey.stop()
    throw error
  })
  return {
    url: server.url,
    async stop() {
      await server.stop()
      await access.stop()
      await ownKey.stop()
    },
  }
}

interface Access extends Service {
  readonly guard: Guard
}

async function openAccess(
  { OPERATOR_IDENTITY, HUB_NAME: hubName }: Settings,
  { grpc, bus }: Pick<ProcessParts, 'grpc' | 'bus'>,
  log: Logger,
  all: readonly GuardedOperation[],
): Promise<Access> {
  if (OPERATOR_IDENTITY === 'none') {
    return { guard: noGuard, stop: () => Promise.resolve() }
  }
  const guard = openGuard({ policies: await openPolicies({ grpc, bus, log }), hubName, log })
  const registration = registerPrivileges(grpc, log, all)
  return {
    guard,
    async stop() {
      await registration.stop()
      await guard.stop()
    },
  }
}

function insecureModes({ OPERATOR_IDENTITY }: Settings): readonly InsecureMode[] {
  if (OPERATOR_IDENTITY === 'token') return []
  const consequence = 'any caller of the operator port is the operator'
  return [{ mode: 'OPERATOR_IDENTITY=none', consequence }]
}

/** Without authentication the port must not be reachable from other machines. */
function refuseStrangers({ OPERATOR_IDENTITY, OPERATOR_HOST: host }: Settings): void {
  if (OPERATOR_IDENTITY === 'token') return
  if (isLoopbackHost(host)) return
  throw new StartError(
    `OPERATOR_HOST=${host} is reachable from other machines, and OPERATOR_IDENTITY=none does not authenticate: set OPERATOR_HOST=127.0.0.1 or OPERATOR_IDENTITY=token.`,
  )
}
