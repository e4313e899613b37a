/** A second process of auth-service: its own connections and memory, the same database. */
import type { Handlers } from '@causeway/grpc'
import type { credentialsService, keysService } from '@causeway/protos'
import { Registry } from 'prom-client'
import { openSeal } from '@causeway/keys/provider'
import { openGuesses } from '../fsps/credentials/guesses.ts'
import { openAdapters } from '../cryptography/adapters.ts'
import { serveCredentials } from '../fsps/credentials/serve.ts'
import { openTokenKeys } from '../fsps/credentials/token-keys.ts'
import { openFsps } from '../fsps/find-fsp.ts'
import { serveKeys } from '../fsps/keys/serve.ts'
import { openMeasures } from '../measures.ts'
import { ownDatabase, secretsKey, type AuthServiceWorld } from './world.ts'

export interface Replica {
  readonly keys: Handlers<typeof keysService>
  readonly credentials: Handlers<typeof credentialsService>
  stop(): Promise<void>
}

export async function openReplica(
  { parts }: AuthServiceWorld,
  { tokenKeyLife_ms = 86_400_000 }: { readonly tokenKeyLife_ms?: number } = {},
): Promise<Replica> {
  const db = await ownDatabase(parts, 4)
  const { bus } = parts
  const findFsp = openFsps(parts.grpc)
  const seal = openSeal('AUTH_SERVICE_SECRETS_KEY', secretsKey)
  const providers = openAdapters({ seal, token: undefined, initial: 'node' })
  return {
    keys: serveKeys({ db, bus, findFsp }),
    credentials: serveCredentials({
      db,
      bus,
      findFsp,
      tokenKeys: openTokenKeys({ db, seal, providers, life_ms: tokenKeyLife_ms }),
      readCa: undefined,
      measures: openMeasures(new Registry()),
      guesses: openGuesses({ wrong_max: 10 }),
      hubName: 'Hub',
      life_s: 60,
      life_ms: 86_400_000,
    }),
    stop: () => db.close(),
  }
}
