/**
 * The signed ping: an FSP tests its authentication and signature, and the hub pings it in return. An FSP
 * that is not active yet may ping, because it is part of onboarding.
 */
import { newEvent, type Payload } from '@causeway/events'
import { elements, readBody } from '@causeway/fspiop'
import { z } from 'zod'
import type { Incoming, ReadResult, ServedRoutes } from '../chain.ts'
import { malformed, traceOf } from '../bodies/reading.ts'
import type { FspiopApiSettings } from '../settings.ts'

export const postPings = z.looseObject({
  pingId: elements.correlationId,
})

export function pingRoutes({
  EDGE_IDENTITY,
}: Pick<FspiopApiSettings, 'EDGE_IDENTITY'>): ServedRoutes {
  return {
    'POST /pings': {
      needsActiveSource: false,
      priority: 'LOOKUP',
      read: (message) => ping(message, EDGE_IDENTITY),
    },
  }
}

function ping(message: Incoming, identity: string): ReadResult {
  const reading = readBody(postPings, message.body)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { source: requesterFspId, version, receivedAt, kid } = message
  const payload: Payload<'PingReceived'> = {
    pingId: reading.value.pingId,
    requesterFspId,
    version,
    identity,
    ...(kid === undefined ? {} : { kid }),
    receivedAt,
  }
  const event = newEvent('fspiop-api', 'PingReceived', payload, traceOf(message))
  return { type: 'PUBLISH', event }
}
