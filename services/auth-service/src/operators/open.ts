/** Creates the initial operators if there are none, then serves operators and their log-ins. */
import type { Database } from '@causeway/postgres'
import type { Logger, Service } from '@causeway/process'
import {
  fidoService,
  logInsService,
  operationRequestsService,
  operatorsService,
} from '@causeway/protos'
import type { ProcessParts } from '@causeway/runtime'
import type { TokenKeys } from '../credentials/token-keys.ts'
import { relyingPartyOf } from '../fido/relying-party.ts'
import { serveFido } from '../fido/serve.ts'
import { openAuthorities } from '../log-in/certificates.ts'
import { serveLogIns } from '../log-in/serve.ts'
import type { Measures } from '../measures.ts'
import { openOidc } from '../oidc/provider.ts'
import { serveOperationRequests } from '../operation-requests/serve.ts'
import type { Settings } from '../settings.ts'
import { ownOperatorCheck } from './check-actor.ts'
import { createInitialOperators } from './initial-operators.ts'
import { openSecrets } from './secrets.ts'
import { serveOperators } from './serve.ts'
import { openUnknownRecords } from './sessions.ts'
import { endSetupInTime } from './setup-end.ts'

const day_ms = 86_400_000

export interface OpenParts extends Pick<ProcessParts, 'bus' | 'grpc'> {
  readonly db: Database
  readonly tokenKeys: TokenKeys
  readonly measures: Measures
  readonly log: Logger
}

/** The routine of what ends by itself. Throws StartError for an invalid secret file, relying party or authority. */
export async function openOperators(
  settings: Settings,
  { bus, grpc, db, tokenKeys, measures, log }: OpenParts,
): Promise<Service> {
  const secrets = openSecrets({ cost: settings.AUTH_SERVICE_PASSWORD_COST })
  const relyingParty = relyingPartyOf(settings)
  const readAuthorities = await openAuthorities(settings)
  await createInitialOperators({
    db,
    bus,
    secrets,
    log,
    passwordFile: settings.AUTH_SERVICE_FIRST_PASSWORD_FILE,
    secondPasswordFile: settings.AUTH_SERVICE_SECOND_PASSWORD_FILE,
    setupSecretFile: settings.AUTH_SERVICE_SETUP_SECRET_FILE,
    setupLife_ms: settings.AUTH_SERVICE_SETUP_LIFE_S * 1_000,
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
    sessionIdle_s: settings.AUTH_SERVICE_SESSION_IDLE_S,
    sessions_max: settings.AUTH_SERVICE_SESSIONS_MAX,
    attempts_max: settings.AUTH_SERVICE_WRONG_PASSWORDS_MAX,
    lock_s: settings.AUTH_SERVICE_LOCK_S,
    mayRecordUnknown: openUnknownRecords(),
  }
  if (settings.OPERATOR_PROOF === 'required') grpc.checkOperators(ownOperatorCheck(parts))
  grpc.serve(operatorsService, serveOperators(parts))
  const oidc = openOidc(settings)
  grpc.serve(logInsService, serveLogIns({ ...parts, readAuthorities, oidc }))
  grpc.serve(fidoService, serveFido(fido))
  const apart_ms = settings.AUTH_SERVICE_FOUR_EYES_APART_D * day_ms
  grpc.serve(operationRequestsService, serveOperationRequests({ db, bus, apart_ms }))
  return endSetupInTime(parts, log)
}
