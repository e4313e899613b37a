/** Development modes open the door on this machine alone, and say so. */
import { StartError, type Logger } from '@causeway/runtime'
import type { Settings } from './settings.ts'
import { isPlain } from './tls.ts'

const loopback = /^(localhost|::1|127(\.\d{1,3}){3})$/

/** Without a proof of identity, or with unsigned messages, only this machine may come in. */
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
      `FSP_HOST=${FSP_HOST} is refused: with EDGE_IDENTITY=header anybody could pay in any FSP's name, so only a loopback address such as 127.0.0.1 may be listened on.`,
    )
  }
  if (JWS_VERIFY === 'off') {
    throw new StartError(
      `FSP_HOST=${FSP_HOST} is refused: with JWS_VERIFY=off nobody can prove afterwards who sent what, so only a loopback address such as 127.0.0.1 may be listened on.`,
    )
  }
}

export function warnAboutInsecureModes(settings: Settings, log: Logger): void {
  const { EDGE_IDENTITY, EDGE_TLS, JWS_VERIFY, JWS_SIGN } = settings
  if (EDGE_IDENTITY === 'header') {
    log.warn('EDGE_IDENTITY=header: whoever reaches the port is who FSPIOP-Source says')
  }
  if (isPlain(settings)) log.warn({ EDGE_IDENTITY, EDGE_TLS }, 'the port of the FSPs is plain http')
  if (JWS_VERIFY === 'off') log.warn('JWS_VERIFY=off: signatures are relayed unread')
  if (JWS_SIGN === 'off') log.warn('JWS_SIGN=off: messages of the hub are not signed')
}
