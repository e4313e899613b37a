/** Creates the initial operators if there are none, then serves the operators API. */
import type { Database } from '@causeway/postgres'
import type { Logger } from '@causeway/process'
import { operatorsService } from '@causeway/protos'
import type { ProcessParts } from '@causeway/runtime'
import type { TokenKeys } from '../credentials/token-keys.ts'
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

/** Throws StartError for an invalid secret file. */
export async function openOperators(
  settings: Settings,
  { bus, grpc, db, tokenKeys, measures, log }: OpenParts,
): Promise<void> {
  const secrets = openSecrets({ cost: settings.AUTH_SERVICE_PASSWORD_COST })
  await createInitialOperators({
    db,
    bus,
    secrets,
    log,
    passwordFile: settings.AUTH_SERVICE_FIRST_PASSWORD_FILE,
    setupSecretFile: settings.AUTH_SERVICE_SETUP_SECRET_FILE,
  })
  grpc.serve(
    operatorsService,
    serveOperators({
      db,
      bus,
      secrets,
      tokenKeys,
      measures,
      hubName: settings.HUB_NAME,
      life_s: settings.AUTH_SERVICE_OPERATOR_TOKEN_LIFE_S,
      sessionLife_s: settings.AUTH_SERVICE_SESSION_LIFE_S,
      attempts_max: settings.AUTH_SERVICE_WRONG_PASSWORDS_MAX,
      lock_s: settings.AUTH_SERVICE_LOCK_S,
    }),
  )
}
