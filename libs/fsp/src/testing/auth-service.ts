/**
 * The part of an auth service that a DFSP needs: it accepts every credential and every signature
 * unless a test sets an error, and notifies both sides of a consent when it ends.
 */
import { errorInformation } from '@causeway/fspiop'
import { request } from 'undici'
import type { Fsp } from '../index.ts'

export interface AuthServiceStandIn extends Pick<Fsp, 'name' | 'receive'> {
  /**
   * From now on it answers registrations, or verifications, with this error; undefined: it accepts
   * them.
   */
  refuse(
    what: 'consents' | 'verifications',
    code: '6103' | '6200' | '6201' | '2001' | undefined,
  ): void
  /** It stops answering. */
  fallSilent(): void
}

const name = 'centralAuth'

export function authServiceAt(hubUrl: string, pispId: string): AuthServiceStandIn {
  const refusals = new Map<string, '6103' | '6200' | '6201' | '2001'>()
  const dfsps = new Map<string, string>()
  let isSilent = false

  async function sendTo(to: string, method: 'PUT' | 'PATCH', path: string, body: object) {
    if (isSilent) return
    const [, resource = ''] = /^\/(\w+)/.exec(path) ?? []
    const answer = await request(`${hubUrl}${path}`, {
      method,
      headers: {
        'content-type': `application/vnd.interoperability.${resource}+json;version=1.0`,
        date: new Date().toUTCString(),
        'fspiop-source': name,
        'fspiop-destination': to,
      },
      body: JSON.stringify(body),
    })
    await answer.body.dump()
  }

  async function answer(method: string, target: string, source: string, body: Buffer) {
    if (method === 'DELETE') {
      const dfspId = dfsps.get(target) ?? ''
      const change = { status: 'REVOKED', revokedAt: new Date().toISOString() }
      await Promise.all([dfspId, pispId].map((to) => sendTo(to, 'PATCH', target, change)))
      return
    }
    const json = JSON.parse(body.toString()) as Record<string, string> & { credential: object }
    const isRegistration = target === '/consents'
    const path = isRegistration
      ? `/consents/${json['consentId']}`
      : `/thirdpartyRequests/verifications/${json['verificationRequestId']}`
    const code = refusals.get(isRegistration ? 'consents' : 'verifications')
    if (code !== undefined) {
      await sendTo(source, 'PUT', `${path}/error`, { errorInformation: errorInformation(code) })
    } else if (isRegistration) {
      dfsps.set(path, source)
      const { scopes, credential } = json
      const verified = { ...credential, status: 'VERIFIED' }
      await sendTo(source, 'PUT', path, { scopes, credential: verified, status: 'ISSUED' })
    } else {
      await sendTo(source, 'PUT', path, { authenticationResponse: 'VERIFIED' })
    }
  }

  return {
    name,
    receive({ method, target, headers, body }) {
      void answer(method, target, String(headers['fspiop-source']), body)
      return Promise.resolve({ status: 202 })
    },
    refuse(what, code) {
      if (code === undefined) refusals.delete(what)
      else refusals.set(what, code)
    },
    fallSilent: () => (isSilent = true),
  }
}
