/**
 * Which relaxations the settings of the FSP port have: each is refused where its address is reached too far,
 * and all are reported.
 */
import { reachOf, refuseRelaxations } from '@causeway/http'
import { StartError, type RelaxationName } from '@causeway/process'
import type { FspiopApiSettings } from './settings.ts'

/** Throws StartError for a relaxation that the address of the FSP port is reached too far for. */
export function refuseInsecureModes(settings: FspiopApiSettings): void {
  const { FSP_HOST, EDGE_IDENTITY, EDGE_TLS, ACCEPT_RELAXATIONS: accepted } = settings
  if (EDGE_IDENTITY === 'mtls' && EDGE_TLS !== 'on') {
    throw new StartError(`EDGE_TLS=${EDGE_TLS} is refused: EDGE_IDENTITY=mtls needs it.`)
  }
  const shown = `FSP_HOST=${FSP_HOST}`
  refuseRelaxations(insecureModes(settings), { shown, reach: reachOf(FSP_HOST), accepted })
}

export function insecureModes(settings: FspiopApiSettings): readonly RelaxationName[] {
  const { EDGE_IDENTITY, EDGE_TLS, EDGE_CERTIFICATES, JWS_VERIFY, JWS_SIGN, COMPATIBILITY } =
    settings
  const found = {
    'EDGE_IDENTITY=header': EDGE_IDENTITY === 'header',
    'JWS_VERIFY=off': JWS_VERIFY === 'off',
    'EDGE_TLS=off': EDGE_IDENTITY === 'token' && EDGE_TLS === 'off',
    'EDGE_TLS=gateway': EDGE_IDENTITY === 'token' && EDGE_TLS === 'gateway',
    'EDGE_CERTIFICATES=any': EDGE_IDENTITY === 'mtls' && EDGE_CERTIFICATES === 'any',
    'JWS_SIGN=off': JWS_SIGN === 'off',
    'COMPATIBILITY=mojaloop': JWS_VERIFY === 'on' && COMPATIBILITY === 'mojaloop',
  } as const satisfies Partial<Readonly<Record<RelaxationName, boolean>>>
  return (Object.keys(found) as (keyof typeof found)[]).filter((name) => found[name])
}
