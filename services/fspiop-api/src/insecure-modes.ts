/**
 * The settings that relax the security of the FSP port, in one place. Those without which a message
 * proves nothing are allowed on a loopback address only; all are reported.
 */
import { isLoopbackHost } from '@causeway/http'
import { StartError, type InsecureMode } from '@causeway/process'
import type { Settings } from './settings.ts'

/** Throws StartError for a relaxation that other machines could use. */
export function assertLoopbackOnly({
  FSP_HOST,
  EDGE_IDENTITY,
  EDGE_TLS,
  JWS_VERIFY,
}: Settings): void {
  if (EDGE_IDENTITY === 'mtls' && EDGE_TLS !== 'on') {
    throw new StartError(`EDGE_TLS=${EDGE_TLS} is refused: EDGE_IDENTITY=mtls needs it.`)
  }
  if (isLoopbackHost(FSP_HOST)) return
  const refused = (mode: string, why: string) =>
    new StartError(
      `FSP_HOST=${FSP_HOST} is refused: with ${mode} ${why}, so only a loopback address such as 127.0.0.1 may be listened on.`,
    )
  if (EDGE_IDENTITY === 'header') {
    throw refused('EDGE_IDENTITY=header', 'any client could act as any FSP')
  }
  if (JWS_VERIFY === 'off') {
    throw refused('JWS_VERIFY=off', 'the sender of a message cannot be proved')
  }
  if (EDGE_TLS === 'off') {
    throw refused('EDGE_TLS=off', 'tokens and messages are readable on the way')
  }
}

/** What the settings relax, for the start, the metrics and readiness. */
export function insecureModes(settings: Settings): readonly InsecureMode[] {
  const { EDGE_IDENTITY, EDGE_TLS, EDGE_CERTIFICATES, JWS_VERIFY, JWS_SIGN, COMPATIBILITY } =
    settings
  const modes: readonly (InsecureMode & { readonly isOn: boolean })[] = [
    {
      isOn: EDGE_IDENTITY === 'header',
      mode: 'EDGE_IDENTITY=header',
      consequence: 'FSPIOP-Source is trusted without authentication, over plain http',
    },
    {
      isOn: EDGE_IDENTITY === 'token' && EDGE_TLS === 'off',
      mode: 'EDGE_TLS=off',
      consequence: 'the FSP port is plain http',
    },
    {
      isOn: EDGE_IDENTITY === 'token' && EDGE_TLS === 'gateway',
      mode: 'EDGE_TLS=gateway',
      consequence: 'the FSP port is plain http: only the gateway may reach it',
    },
    {
      isOn: EDGE_IDENTITY === 'mtls' && EDGE_CERTIFICATES === 'any',
      mode: 'EDGE_CERTIFICATES=any',
      consequence: 'every certificate of the CA identifies an FSP, registered or not',
    },
    {
      isOn: JWS_VERIFY === 'off',
      mode: 'JWS_VERIFY=off',
      consequence: 'signatures are relayed without verification',
    },
    {
      isOn: JWS_SIGN === 'off',
      mode: 'JWS_SIGN=off',
      consequence: 'messages of the hub are not signed',
    },
    {
      isOn: JWS_VERIFY === 'on' && COMPATIBILITY === 'mojaloop',
      mode: 'COMPATIBILITY=mojaloop',
      consequence:
        'signatures have no age and need not protect the destination, and DELETE needs none',
    },
  ]
  return modes.filter(({ isOn }) => isOn).map(({ mode, consequence }) => ({ mode, consequence }))
}
