/**
 * The hosted auth service as a participant of a scheme: this file stands in for the edge, the
 * decisions are the real ones.
 */
import type { Fsp, InboundMessage } from '@causeway/fsp/testing'
import { randomUUID } from 'node:crypto'
import type { ConsentEvent } from '../contract.ts'
import { deletion, observed, owned, owner, query } from './messages.ts'
import type { ConsentsWorld } from './world.ts'

export interface Hosted extends Pick<Fsp, 'name' | 'receive'> {
  /** The edge has relayed a consent from its DFSP to its PISP. */
  observe(consentId: string, parties: { readonly dfspId: string; readonly pispId: string }): void
  /** Waits until all messages are processed and answered. */
  idle(): Promise<void>
}

export interface HostedOptions {
  readonly world: ConsentsWorld
  readonly hubUrl: string
  /** How often an answer is delivered; 0: the next revocation overtakes a VERIFIED. */
  readonly times: () => number
  /** Called with each such answer. */
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

  /** Messages that arrived meanwhile form the next batch. */
  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const from = world.published.length
      await world.handle(...waiting.splice(0))
      for (const answer of world.published.slice(from)) {
        if (answer.type === 'ConsentOwnershipClaimed') waiting.push(owned(idIn(answer.payload)))
        await publishAll(answer)
      }
    }
    working = undefined
  }

  async function publishAll(answer: ConsentsWorld['published'][number]): Promise<void> {
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

interface Published {
  readonly consentId: string
  readonly verificationRequestId: string
  readonly requesterFspId: string
  readonly body: object
  readonly errorInformation: object
  readonly revokedAt: string
  readonly recipients: readonly { readonly fspId: string }[]
  readonly result: object
}

function messagesOf({ type, payload }: ConsentsWorld['published'][number]): readonly Outgoing[] {
  const published = payload as Published
  const consent = `/consents/${published.consentId}`
  const to = published.requesterFspId
  switch (type) {
    case 'ConsentRegistered':
      return [{ to, method: 'PUT', path: consent, body: published.body }]
    case 'ConsentRefused': {
      const { errorInformation } = published
      return [{ to, method: 'PUT', path: `${consent}/error`, body: { errorInformation } }]
    }
    case 'ConsentRevoked': {
      const body = { status: 'REVOKED', revokedAt: published.revokedAt }
      return published.recipients.map(({ fspId }) => ({
        to: fspId,
        method: 'PATCH',
        path: consent,
        body,
      }))
    }
    case 'VerificationAnswered': {
      const path = `/thirdpartyRequests/verifications/${published.verificationRequestId}`
      const isError = 'errorInformation' in published.result
      return [{ to, method: 'PUT', path: isError ? `${path}/error` : path, body: published.result }]
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
