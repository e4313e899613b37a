/** Creates the initial operators if there are none, then serves operators and their log-ins. */
import type { Database } from '@causeway/postgres'
import type { Logger } from '@causeway/process'
import { fidoService, logInsService, operatorsService } from '@causeway/protos'
import type { ProcessParts } from '@causeway/runtime'
import type { TokenKeys } from '../credentials/token-keys.ts'
import { relyingPartyOf } from '../fido/relying-party.ts'
import { serveFido } from '../fido/serve.ts'
import { openAuthorities } from '../log-in/certificates.ts'
import { serveLogIns } from '../log-in/serve.ts'
import type { Measures } from '../measures.ts'
import type { Settings } from '../settings.ts'
import { createInitialOperators } from './initial-operators.ts'
import { openSecrets } from './secrets.ts'
import { serveOperators } from './serve.ts'

export interface OpenParts extends Pick<ProcessParts, 'bus' | 'grpc'> {
  readonly db: Database
  readonly tokenKeys: TokenKeys
  readonly measures: Measures
  readonly log: Logger
}

/** Throws StartError for an invalid secret file, relying party or authority. */
export async function openOperators(
  settings: Settings,
  { bus, grpc, db, tokenKeys, measures, log }: OpenParts,
): Promise<void> {
  const secrets = openSecrets({ cost: settings.AUTH_SERVICE_PASSWORD_COST })
  const relyingParty = relyingPartyOf(settings)
  const readAuthorities = await openAuthorities(settings)
  await createInitialOperators({
    db,
    bus,
    secrets,
    log,
    passwordFile: settings.AUTH_SERVICE_FIRST_PASSWORD_FILE,
    setupSecretFile: settings.AUTH_SERVICE_SETUP_SECRET_FILE,
  })
  const challengeLife_ms = settings.AUTH_SERVICE_FIDO_CHALLENGE_S * 1_000
  const fido = { db, bus, relyingParty, challengeLife_ms }
  const parts = {
    db,
    bus,
    secrets,
    fido,
    keyRule: settings.AUTH_SERVICE_FIDO_REQUIRED,
    tokenKeys,
    measures,
    hubName: settings.HUB_NAME,
    life_s: settings.AUTH_SERVICE_OPERATOR_TOKEN_LIFE_S,
    sessionLife_s: settings.AUTH_SERVICE_SESSION_LIFE_S,
    attempts_max: settings.AUTH_SERVICE_WRONG_PASSWORDS_MAX,
    lock_s: settings.AUTH_SERVICE_LOCK_S,
  }
  grpc.serve(operatorsService, serveOperators(parts))
  grpc.serve(logInsService, serveLogIns({ ...parts, readAuthorities }))
  grpc.serve(fidoService, serveFido(fido))
}
