/** The administration API of the hub; it stores nothing and calls the services that do. */
import { openOwnKey, signedEntries } from '@causeway/keys/components'
import { isRehearsal } from '@causeway/grpc'
import { openBasePaths, type FixedAnswer } from '@causeway/http'
import {
  openSecurityEvents,
  reportInsecureModes,
  type Logger,
  type Service,
} from '@causeway/process'
import type { ProcessParts, Start } from '@causeway/runtime'
import { openAttempts } from './access/attempts.ts'
import { noGuard, openGuard, type Guard } from './access/guard.ts'
import { openPolicies } from './access/policy.ts'
import type { GuardedOperation } from './access/privileges.ts'
import { registerPrivileges } from './access/register.ts'
import { refused } from './answer.ts'
import { errorAnswer, type Reason } from './contract.ts'
import {
  doorModes,
  needsFourEyes,
  readDoorTls,
  refuseOpenDoor,
  renewDoorTls,
} from './operator-port.ts'
import { operatorApp } from './http.ts'
import { writeJson } from './json.ts'
import { operations } from './routes.ts'
import type { AdminSettings } from './settings.ts'
import { connect } from './upstream.ts'

export interface Admin extends Service {
  /** Its address, without a slash at the end. */
  readonly url: string
}

export const start: Start<AdminSettings, Admin> = async (settings, parts) => {
  const { isSole } = parts.shared
  const fourEyes = needsFourEyes(settings, isSole)
  refuseOpenDoor(settings, fourEyes, isSole)
  const tls = await readDoorTls(settings)
  const log = parts.log.child({ service: 'admin' })
  const relaxed = doorModes(settings, fourEyes).map((mode) => ({ mode }))
  reportInsecureModes('admin', relaxed, { ...parts, log })
  const ownKey = await openOwnKey('admin', settings.ADMIN_COMPONENT_KEY_FILE, { ...parts, log })
  const bus = signedEntries(parts.bus, ownKey)
  const publish: typeof bus.publish = (messages) =>
    isRehearsal() ? Promise.resolve() : bus.publish(messages)
  const all = operations({ ...connect(parts.grpc), settings, publish, fourEyes })
  const withoutBase = openBasePaths('OPERATOR_BASE_PATHS', settings.OPERATOR_BASE_PATHS, [
    '/console',
    ...all.map(({ path }) => path),
  ])
  const access = await openAccess(settings, parts, log, all)
  /** Of a request that no operation is found for. */
  const unread = (reason: Reason, detail?: string): FixedAnswer => {
    const { status, body } = errorAnswer(refused(reason, detail), settings.COMPATIBILITY)
    return { status, contentType: 'application/json; charset=utf-8', body: writeJson(body) }
  }
  const server = await parts.http
    .serve({
      name: 'administration API (OPERATOR_PORT)',
      host: settings.OPERATOR_HOST,
      port: settings.OPERATOR_PORT,
      handler: operatorApp(all, {
        guard: access.guard,
        refusesForeignPages: settings.OPERATOR_IDENTITY === 'none',
        attempts: openAttempts(),
        trustsForwardedAddress: settings.OPERATOR_FORWARDED_ADDRESS === 'on',
        isHttps: settings.OPERATOR_TLS !== 'off',
        compatibility: settings.COMPATIBILITY,
        participantNamed: participantNames(settings),
        withoutBase,
        security: openSecurityEvents('admin', { log, metrics: parts.metrics }),
        log,
      }),
      log,
      onHeadTooLarge: unread('MALFORMED', 'the path and the headers are too long'),
      onUnreadable: unread('MALFORMED', 'the request is not valid HTTP'),
      onLate: unread('LATE', 'the request did not arrive in time'),
      onFault: unread('FAULT'),
      ...(tls === undefined ? {} : { tls }),
    })
    .catch(async (error: unknown) => {
      await access.stop()
      await ownKey.stop()
      throw error
    })
  const renewal = renewDoorTls(settings, tls, server, log)
  return {
    url: server.url,
    async stop() {
      await renewal.stop()
      await server.stop()
      await access.stop()
      await ownKey.stop()
    },
  }
}

/**
 * With COMPATIBILITY=mojaloop the hosted auth service is found under its name in any case: Mojaloop's
 * own scripts write it in lower case, and its database compares names without regard to case.
 */
function participantNames({
  AUTH_SERVICE_PARTICIPANT: hosted,
  COMPATIBILITY,
}: AdminSettings): (name: string) => string {
  const isHosted = (name: string) => name.toLowerCase() === hosted.toLowerCase()
  return (name) => (COMPATIBILITY === 'mojaloop' && isHosted(name) ? hosted : name)
}

interface Access extends Service {
  readonly guard: Guard
}

async function openAccess(
  { OPERATOR_IDENTITY, HUB_NAME: hubName }: AdminSettings,
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
