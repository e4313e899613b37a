/** The services that take part, in the order in which they start: those that others call come first. */
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { defaultsOf } from '@causeway/process/testing'
import type { ProcessParts } from '@causeway/runtime'
import * as settlements from '@causeway/settlements'
import * as transfers from '@causeway/transfers'

export interface Running {
  stop(): Promise<void>
}

const services = { participantLifecycle, settlements, transfers }

const settings = {
  ...defaultsOf(participantLifecycle.settings),
  ...defaultsOf(settlements.settings),
  ...defaultsOf(transfers.settings),
}

/** When the hub ends a transfer, at the latest, with nothing left to process. */
export const final_ms = settings.EXPIRY_GRACE_MS + settings.SWEEP_INTERVAL_MS

export async function startServices(parts: ProcessParts): Promise<readonly Running[]> {
  const running: Running[] = []
  for (const { start } of Object.values(services)) running.push(await start(settings, parts))
  return running
}
