/**
 * The hosted auth service as a participant of a scheme: what the edge makes of messages and of answers is
 * between, the decisions are the real ones.
 */
import type { Fsp, InboundMessage } from '@causeway/fsp/testing'
import { randomUUID } from 'node:crypto'
import type { ConsentEvent } from '../contract.ts'
import { deletion, observed, owned, owner, query } from './messages.ts'
import type { World } from './world.ts'

export interface Hosted extends Pick<Fsp, 'name' | 'receive'> {
  /** The edge has seen a consent go from its DFSP to its PISP. */
  observe(consentId: string, parties: { readonly dfspId: string; readonly pispId: string }): void
  /** Nothing is left to decide or to say. */
  idle(): Promise<void>
}

export interface HostedOptions {
  readonly world: World
  readonly hubUrl: string
  /** How often an answer is delivered; 0: a VERIFIED is overtaken by the next revocation. */
  readonly times: () => number
  /** Told of each such answer. */
  readonly onLate: () => void
}

interface Outgoing {
  readonly to: string
  readonly method: 'PUT' | 'PATCH'
  readonly path: string
  readonly body: object
}

export function hostedAt({ world, hubUrl, times, onLate }: HostedOptions): Hosted {
  const waiting: ConsentEvent[] = []
  const late: Outgoing[] = []
  let working: Promise<void> | undefined

  /** What has come meanwhile is the next batch. */
  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const from = world.said.length
      await world.handle(...waiting.splice(0))
      for (const answer of world.said.slice(from)) {
        if (answer.type === 'ConsentOwnershipClaimed') waiting.push(owned(idIn(answer.payload)))
        await sayAll(answer)
      }
    }
    working = undefined
  }

  async function sayAll(answer: World['said'][number]): Promise<void> {
    for (const message of messagesOf(answer)) {
      const count = times()
      if (count === 0 && 'authenticationResponse' in message.body) {
        late.push(message)
        onLate()
      } else {
        for (let time = 0; time < Math.max(count, 1); time++) await send(hubUrl, message)
      }
    }
    if (answer.type !== 'ConsentRevoked') return
    for (const message of late.splice(0)) await send(hubUrl, message)
  }

  function take(event: ConsentEvent): void {
    waiting.push(event)
    working ??= work()
  }

  return {
    name: owner,
    receive(message) {
      take(eventOf(message))
      return Promise.resolve({ status: 202 })
    },
    observe: (consentId, parties) => take(observed(consentId, parties)),
    async idle() {
      while (working !== undefined) await working
    },
  }
}

function idIn(payload: unknown): string {
  return (payload as { readonly partyIdentifier: string }).partyIdentifier
}

function eventOf({ method, target, headers, body }: InboundMessage): ConsentEvent {
  const from = String(headers['fspiop-source'])
  const id = target.split('/').at(-1) ?? ''
  if (method === 'DELETE') return deletion(id, { from })
  if (method === 'GET') return query(id, { from })
  const { consentId = '', verificationRequestId = '' } = JSON.parse(body.toString()) as {
    readonly consentId?: string
    readonly verificationRequestId?: string
  }
  const receivedAt = new Date().toISOString()
  const envelope = {
    id: randomUUID(),
    time: receivedAt,
    maybeDuplicate: false,
    relay: { body },
    traceparent: undefined,
  }
  const asked = { consentId, requesterFspId: from, version: '1.0', receivedAt }
  return target === '/consents'
    ? { ...envelope, name: 'ConsentRegistrationReceived', payload: asked }
    : {
        ...envelope,
        name: 'VerificationReceived',
        payload: { ...asked, verificationRequestId },
      }
}

interface Said {
  readonly consentId: string
  readonly verificationRequestId: string
  readonly requesterFspId: string
  readonly body: object
  readonly errorInformation: object
  readonly revokedAt: string
  readonly recipients: readonly { readonly fspId: string }[]
  readonly result: object
}

function messagesOf({ type, payload }: World['said'][number]): readonly Outgoing[] {
  const said = payload as Said
  const consent = `/consents/${said.consentId}`
  const to = said.requesterFspId
  switch (type) {
    case 'ConsentRegistered':
      return [{ to, method: 'PUT', path: consent, body: said.body }]
    case 'ConsentRefused': {
      const { errorInformation } = said
      return [{ to, method: 'PUT', path: `${consent}/error`, body: { errorInformation } }]
    }
    case 'ConsentRevoked': {
      const body = { status: 'REVOKED', revokedAt: said.revokedAt }
      return said.recipients.map(({ fspId }) => ({
        to: fspId,
        method: 'PATCH',
        path: consent,
        body,
      }))
    }
    case 'VerificationAnswered': {
      const path = `/thirdpartyRequests/verifications/${said.verificationRequestId}`
      const isError = 'errorInformation' in said.result
      return [{ to, method: 'PUT', path: isError ? `${path}/error` : path, body: said.result }]
    }
    default:
      return []
  }
}

async function send(hubUrl: string, { to, method, path, body }: Outgoing): Promise<void> {
  const [, resource = ''] = /^\/(\w+)/.exec(path) ?? []
  const answer = await fetch(`${hubUrl}${path}`, {
    method,
    headers: {
      'content-type': `application/vnd.interoperability.${resource}+json;version=1.0`,
      date: new Date().toUTCString(),
      'fspiop-source': owner,
      'fspiop-destination': to,
    },
    body: JSON.stringify(body),
  })
  await answer.arrayBuffer()
}
