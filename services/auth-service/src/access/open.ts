/** Opens the access of operators: creates the initial ones if there are none, then serves them and their log-ins. */
import type { Service } from '@causeway/process'
import { fidoService, logInsService, operatorsService } from '@causeway/protos'
import type { TokenKeys } from '../fsps/credentials/token-keys.ts'
import { day_ms, deleteOld, together, type OwnParts } from '../own-parts.ts'
import { relyingPartyOf } from './fido/relying-party.ts'
import { serveFido } from './fido/serve.ts'
import { openAuthorities } from './log-in/certificates.ts'
import { serveLogIns } from './log-in/serve.ts'
import { mailOperators } from './mails/handle.ts'
import { openOidc } from './oidc/provider.ts'
import { deleteOidcLogIns } from './oidc/store.ts'
import { deleteAttempts } from './operators/attempt-store.ts'
import { ownOperatorCheck } from './operators/check-actor.ts'
import { administratorNames, createInitialOperators } from './operators/initial-operators.ts'
import { openInitialPasswords } from './operators/initial-passwords.ts'
import { openSecrets } from './operators/secrets.ts'
import { serveOperators } from './operators/serve.ts'
import { deleteExpired } from './operators/session-store.ts'
import { openUnknownRecords } from './operators/sessions.ts'
import { endSetupInTime } from './operators/setup-end.ts'

/** How long a challenge for a security key or a certificate can be answered: time to find the key. */
const challengeLife_ms = 120_000
/** How long an access token of an operator is valid; a session goes on longer without a refresh. */
const tokenLife_s = 900
/**
 * How long the program 'setup' may set up the hub, from the first start with its secret; then it may only
 * see and verify, until the file has another secret.
 */
const setupLife_ms = day_ms

/** Throws StartError for an invalid secret file, relying party or authority. */
export async function openAccess(
  { settings, bounds, bus, grpc, db, measures, log }: OwnParts,
  tokenKeys: TokenKeys,
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
    setupLife_ms,
  })
  const initialPasswords = openInitialPasswords({
    db,
    secrets,
    log,
    files: new Map(
      [
        [administratorNames[0], settings.AUTH_SERVICE_FIRST_PASSWORD_FILE] as const,
        [administratorNames[1], settings.AUTH_SERVICE_SECOND_PASSWORD_FILE] as const,
      ].flatMap(([name, file]) => (file === undefined ? [] : [[name, file] as const])),
    ),
  })
  await initialPasswords.review()
  const fido = { db, bus, relyingParty, challengeLife_ms }
  const parts = {
    db,
    bus,
    secrets,
    initialPasswords,
    fido,
    keyRule: settings.AUTH_SERVICE_FIDO_REQUIRED,
    tokenKeys,
    measures,
    hubName: settings.HUB_NAME,
    life_s: tokenLife_s,
    sessionLife_s: settings.AUTH_SERVICE_SESSION_LIFE_S,
    sessionIdle_s: settings.AUTH_SERVICE_SESSION_IDLE_S,
    sessions_max: bounds.sessions_max,
    attempts_max: settings.AUTH_SERVICE_WRONG_PASSWORDS_MAX,
    lock_s: settings.AUTH_SERVICE_LOCK_S,
    mayRecordUnknown: openUnknownRecords(),
    apart_ms: settings.AUTH_SERVICE_FOUR_EYES_APART_D * day_ms,
  }
  if (settings.OPERATOR_PROOF === 'required') grpc.checkOperators(ownOperatorCheck(parts))
  grpc.serve(operatorsService, serveOperators(parts))
  const oidc = openOidc(settings)
  grpc.serve(logInsService, serveLogIns({ ...parts, readAuthorities, oidc }))
  grpc.serve(fidoService, serveFido(fido))
  return together(log, [
    endSetupInTime(parts, log),
    await mailOperators({ bus, db, hubName: settings.HUB_NAME, log }),
    deleteOld(log, 'old sessions', async (before) => {
      await deleteExpired(db, before(0))
      await deleteOidcLogIns(db, before(0))
      await deleteAttempts(db, before(0), before(settings.AUTH_SERVICE_LOCK_S * 1_000))
    }),
  ])
}
