/** Serves pings over gRPC. */
import type { Handlers } from '@causeway/grpc'
import type { Queries } from '@causeway/postgres'
import type { pingsService } from '@causeway/protos'
import { isName } from '../find-fsp.ts'
import { pingMessage } from './contract.ts'
import { lastPings } from './store.ts'

export function servePings(db: Queries): Handlers<typeof pingsService> {
  return {
    async GetLastPings({ names }) {
      const pings = await lastPings(db, [...new Set(names.filter(isName))])
      return { pings: pings.map(pingMessage) }
    },
  }
}
