/** Opens the keys of months and erasures. */
import type { EventBus } from '@causeway/bus'
import type { Seal } from '@causeway/crypto-provider'
import type { GrpcHost } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import { erasuresService, monthKeysService } from '@causeway/protos'
import type { Settings } from '../settings.ts'
import { openMonthKeys } from './month-keys.ts'
import { serveErasures, serveMonthKeys } from './serve.ts'

export interface ErasureOpening {
  readonly bus: EventBus
  readonly grpc: GrpcHost
  readonly db: Database
  readonly seal: Seal
}

/** Throws StartError if a stored key was encrypted with an unknown key. */
export async function openErasures(
  { AUTH_SERVICE_MONTH_RETENTION: kept_months }: Pick<Settings, 'AUTH_SERVICE_MONTH_RETENTION'>,
  { bus, grpc, db, seal }: ErasureOpening,
): Promise<void> {
  const keys = openMonthKeys({ db, seal })
  await keys.reseal()
  grpc.serve(monthKeysService, serveMonthKeys(keys))
  grpc.serve(erasuresService, serveErasures({ db, bus, kept_months }))
}
