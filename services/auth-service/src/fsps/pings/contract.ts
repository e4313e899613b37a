/** Maps pings between events, gRPC messages and the domain. */
import type { DomainEvent, Payload } from '@causeway/events'
import { present, type Ping as PingMessage } from '@causeway/protos'
import { timeMessage } from '../../contract.ts'
import type { Callback, LastPing, Ping } from './domain/ping.ts'

/** A ping with its event id, from which the id of the answer is derived. */
export interface ReceivedPing extends Ping {
  readonly eventId: string
}

/** Throws for an invalid time: the event then becomes a dead letter. */
export function pingOf({ id, payload }: DomainEvent<'PingReceived'>): ReceivedPing {
  return {
    eventId: id,
    participant: payload.requesterFspId,
    pingId: payload.pingId,
    version: payload.version,
    identity: payload.identity,
    kid: payload.kid ?? null,
    receivedAt: timeOf(payload.receivedAt),
  }
}

const error_max = 200

export function callbacksOf({ payload }: DomainEvent<'PingCallbackReport'>): readonly Callback[] {
  return payload.reports.map((report) => ({
    participant: report.destinationFspId,
    pingId: report.entityId,
    status: report.status,
    error: report.lastError?.slice(0, error_max).replaceAll('\0', '') ?? null,
    reportedAt: timeOf(report.reportedAt),
  }))
}

export function acceptedOf(ping: Ping): Payload<'PingAccepted'> {
  return {
    pingId: ping.pingId,
    requesterFspId: ping.participant,
    version: ping.version,
    receivedAt: timeMessage(ping.receivedAt),
  }
}

export function pingMessage(ping: LastPing): PingMessage {
  return {
    participant: ping.participant,
    pingId: ping.pingId,
    receivedAt: timeMessage(ping.receivedAt),
    identity: ping.identity,
    ...present({
      kid: ping.kid,
      callbackStatus: ping.callbackStatus,
      callbackError: ping.callbackError,
      callbackAt: ping.callbackAt?.toISOString(),
    }),
  }
}

function timeOf(text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new Error(`'${text}' is not a valid time`)
  return time
}
