/** Opens the keys of months and erasures. */
import type { EventBus } from '@causeway/bus'
import type { Seal } from '@causeway/keys/provider'
import type { GrpcHost } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import { listIn, type Logger, StartError } from '@causeway/process'
import { erasuresService, monthKeysService } from '@causeway/protos'
import type { AuthServiceSettings } from '../../settings.ts'
import { isMonth } from './domain/month.ts'
import { openMonthKeys } from './month-keys.ts'
import { serveErasures, serveMonthKeys } from './serve.ts'

export interface ErasureOpening {
  readonly log: Logger
  readonly bus: EventBus
  readonly grpc: GrpcHost
  readonly db: Database
  readonly seal: Seal
}

/** Throws StartError if a stored key was encrypted with an unknown key, or for a setting with no months. */
export async function openErasures(
  settings: Pick<
    AuthServiceSettings,
    'AUTH_SERVICE_MONTH_RETENTION' | 'AUTH_SERVICE_GIVEN_UP_MONTHS'
  >,
  { log, bus, grpc, db, seal }: ErasureOpening,
): Promise<void> {
  const givenUp = monthsIn('AUTH_SERVICE_GIVEN_UP_MONTHS', settings.AUTH_SERVICE_GIVEN_UP_MONTHS)
  const keys = openMonthKeys({ db, seal, log, givenUp })
  await keys.reseal()
  grpc.serve(monthKeysService, serveMonthKeys(keys))
  grpc.serve(erasuresService, serveErasures({ db, bus }, settings.AUTH_SERVICE_MONTH_RETENTION))
}

function monthsIn(setting: string, text: string): ReadonlySet<string> {
  const months = listIn(text)
  const wrong = months.find((month) => !isMonth(month))
  if (wrong === undefined) return new Set(months)
  throw new StartError(`${setting}: ${wrong} is not a month: 2026-08.`)
}
