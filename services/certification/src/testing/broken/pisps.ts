/** PISPs that break one rule. */
import { randomBytes } from 'node:crypto'
import { dropping, of, reading, refusing, writing, type About } from '../breakages.ts'
import type { Broken } from '../caught.ts'

const isTerms = of('PUT', /^\/thirdpartyRequests\/authorizations\/[^/]+$/)
const hasCode = (code: string) => (about: About) => JSON.stringify(about.json).includes(code)
const withCredential = (json: Readonly<Record<string, unknown>>, change: object) => ({
  ...json,
  credential: { ...(json['credential'] as object), ...change },
})

export const brokenPisps: readonly Broken[] = [
  {
    does: 'offers WEB without a callbackUri',
    breakage: writing(of('POST', /^\/consentRequests$/), ({ callbackUri: _left, ...json }) => json),
    caughtBy: ['pisp-consent-request'],
  },
  {
    does: 'passes another token on',
    breakage: writing(of('PATCH', /^\/consentRequests\//), () => ({ authToken: '123456' })),
    caughtBy: ['pisp-token'],
  },
  {
    does: 'signs another challenge for the consent',
    breakage: writing(of('PUT', /^\/consents\//), (json) => {
      const { genericPayload } = json['credential'] as { genericPayload: object }
      const signature = randomBytes(64).toString('base64')
      return withCredential(json, { genericPayload: { ...genericPayload, signature } })
    }),
    caughtBy: ['pisp-credential'],
  },
  {
    does: 'leaves members out of the scopes that were granted',
    breakage: writing(of('PUT', /^\/consents\//), (json) => ({
      ...json,
      scopes: (json['scopes'] as readonly { address: string; actions: unknown }[]).map(
        ({ address, actions }) => ({ address, actions }),
      ),
    })),
    caughtBy: ['pisp-scopes-kept'],
  },
  {
    does: 'ends a consent without a message',
    breakage: dropping(of('DELETE', /^\/consents\//)),
    caughtBy: ['pisp-unlink'],
  },
  {
    does: 'requests a payment without the FSP of the payee',
    breakage: writing(of('POST', /^\/thirdpartyRequests\/transactions$/), (json) => ({
      ...json,
      payee: { partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: '1' } },
    })),
    caughtBy: ['pisp-request'],
  },
  {
    does: 'signs another challenge than that of the terms',
    breakage: writing(isTerms, (json) => ({
      ...json,
      signedPayload: {
        signedPayloadType: 'GENERIC',
        genericSignedPayload: randomBytes(64).toString('base64'),
      },
    })),
    caughtBy: ['pisp-signs'],
  },
  {
    does: 'signs the terms of a stranger',
    breakage: reading(of('POST', /^\/thirdpartyRequests\/authorizations$/), (json) => json, {
      'fspiop-source': 'certifier',
    }),
    caughtBy: ['pisp-terms-of-stranger'],
  },
  {
    does: 'requests a payment once and waits',
    breakage: sendingOnce(),
    caughtBy: ['pisp-asks-after-silence'],
  },
  {
    does: 'takes a completed payment for a failure',
    breakage: {
      report: async (outcome) => {
        const { state = '' } = await outcome
        return { state: state === 'COMPLETED' ? 'FAILED' : state }
      },
    },
    caughtBy: ['pisp-completed'],
  },
  {
    does: 'refuses an unknown error code',
    breakage: refusing(of('PUT', /^\/thirdpartyRequests\/.*\/error$/, hasCode('6299'))),
    caughtBy: ['pisp-unknown-error-code'],
  },
  {
    does: 'takes a payment without an outcome for a completed one',
    breakage: {
      report: async (outcome) => {
        const { state = '' } = await outcome
        return { state: state === 'FAILED' ? 'COMPLETED' : state }
      },
    },
    caughtBy: ['pisp-unknown-error-code', 'pisp-no-outcome'],
  },
]

function sendingOnce() {
  const seen = new Set<string>()
  return dropping((about) => {
    if (about.path !== '/thirdpartyRequests/transactions') return false
    const id = String(about.json['transactionRequestId'])
    const isRepeat = seen.has(id)
    seen.add(id)
    return isRepeat
  })
}
