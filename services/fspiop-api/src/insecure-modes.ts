/** Insecure development modes are allowed on a loopback address only, and are logged. */
import { StartError, type Logger } from '@causeway/process'
import type { Settings } from './settings.ts'
import { isPlain } from './tls.ts'

const loopback = /^(localhost|::1|127(\.\d{1,3}){3})$/

/** Without authentication, or without signatures, only a loopback address is allowed. */
export function assertLoopbackOnly({
  FSP_HOST,
  EDGE_IDENTITY,
  EDGE_TLS,
  JWS_VERIFY,
}: Settings): void {
  if (EDGE_IDENTITY === 'mtls' && EDGE_TLS === 'off') {
    throw new StartError('EDGE_TLS=off is refused: EDGE_IDENTITY=mtls needs it.')
  }
  if (loopback.test(FSP_HOST)) return
  if (EDGE_IDENTITY === 'header') {
    throw new StartError(
      `FSP_HOST=${FSP_HOST} is refused: with EDGE_IDENTITY=header any client could act as any FSP, so only a loopback address such as 127.0.0.1 may be listened on.`,
    )
  }
  if (JWS_VERIFY === 'off') {
    throw new StartError(
      `FSP_HOST=${FSP_HOST} is refused: with JWS_VERIFY=off the sender of a message cannot be proved, so only a loopback address such as 127.0.0.1 may be listened on.`,
    )
  }
}

export function warnAboutInsecureModes(settings: Settings, log: Logger): void {
  const { EDGE_IDENTITY, EDGE_TLS, JWS_VERIFY, JWS_SIGN } = settings
  if (EDGE_IDENTITY === 'header') {
    log.warn('EDGE_IDENTITY=header: FSPIOP-Source is trusted without authentication')
  }
  if (isPlain(settings)) log.warn({ EDGE_IDENTITY, EDGE_TLS }, 'the FSP port is plain http')
  if (JWS_VERIFY === 'off') log.warn('JWS_VERIFY=off: signatures are relayed without verification')
  if (JWS_SIGN === 'off') log.warn('JWS_SIGN=off: messages of the hub are not signed')
}
