/** DFSPs that break one rule. */
import { type About, dropping, of, reading, sending, writing } from '../breakages.ts'
import { type Breakage, jsonOf } from '../breaking.ts'
import type { Broken } from '../caught.ts'
import { repeatingWrongly } from '../repeating.ts'

const isFinal = of('PATCH', /^\/thirdpartyRequests\/transactions\//)
const isError = of('PUT', /^\/thirdpartyRequests\/transactions\/.*\/error$/)
const isRegistration = of('POST', /^\/consents$/, ({ json }) => 'credential' in json)
const isGrant = of('POST', /^\/consents$/, ({ json }) => !('credential' in json))
const error = (errorCode: string) => ({
  errorInformation: { errorCode, errorDescription: 'Broken' },
})
const hasCode = (code: string) => (about: About) => JSON.stringify(about.json).includes(code)

export const brokenDfsps: readonly Broken[] = [
  ...repeatingWrongly('consentRequests'),
  ...repeatingWrongly('thirdpartyRequests/transactions', 'transactionRequestId'),
  {
    does: 'offers accounts without a currency',
    breakage: writing(of('PUT', /^\/accounts\/[^/]+$/), ({ accounts }) => ({
      accounts: (accounts as readonly { address: string }[]).map(({ address }) => ({ address })),
    })),
    caughtBy: ['dfsp-accounts'],
  },
  {
    does: 'answers for an unknown user with another error',
    breakage: writing(of('PUT', /^\/accounts\/.*\/error$/), () => error('3204')),
    caughtBy: ['dfsp-accounts-unknown-user'],
  },
  {
    does: 'answers a consent request with two channels',
    breakage: writing(of('PUT', /^\/consentRequests\/[^/]+$/), (json) => ({
      ...json,
      authChannels: ['WEB', 'OTP'],
    })),
    caughtBy: ['dfsp-consent-request'],
  },
  {
    does: 'trusts every address that users are sent back to',
    breakage: reading(of('POST', /^\/consentRequests$/, hasCode('untrusted')), (json) => ({
      ...json,
      callbackUri: 'https://app.certification.example/linked',
    })),
    caughtBy: ['dfsp-untrusted-uri'],
  },
  {
    does: 'links accounts that the user does not have',
    breakage: reading(of('POST', /^\/consentRequests$/, hasCode('unknown.')), (json) => ({
      ...json,
      scopes: [{ address: 'reference.amara.everyday', actions: ['ACCOUNTS_TRANSFER'] }],
    })),
    caughtBy: ['dfsp-foreign-account'],
  },
  {
    does: 'gives no answer to a wrong token',
    breakage: dropping(of('PUT', /^\/consentRequests\/.*\/error$/, hasCode('6203'))),
    caughtBy: ['dfsp-wrong-token'],
  },
  {
    does: 'grants a consent that is not ISSUED',
    breakage: writing(isGrant, (json) => ({ ...json, status: 'REVOKED' })),
    caughtBy: ['dfsp-grant'],
  },
  {
    does: 'leaves the key of a consent PENDING',
    breakage: writing(of('PUT', /^\/consents\/[^/]+$/), (json) => ({
      ...json,
      credential: { ...(json['credential'] as object), status: 'PENDING' },
    })),
    caughtBy: ['dfsp-link', 'dfsp-registration'],
  },
  {
    does: 'registers the key as VERIFIED',
    breakage: writing(isRegistration, (json) => ({
      ...json,
      credential: { ...(json['credential'] as object), status: 'VERIFIED' },
    })),
    caughtBy: ['dfsp-registration'],
  },
  {
    does: 'links a key that the auth service refuses',
    breakage: sending(of('PUT', /^\/consents\/.*\/error$/), (message) => ({
      ...message,
      path: message.path.replace('/error', ''),
      body: Buffer.from(JSON.stringify({ credential: { status: 'VERIFIED' } })),
    })),
    caughtBy: ['dfsp-key-refused'],
  },
  {
    does: 'reports another state than COMPLETED',
    breakage: writing(
      of(
        'PATCH',
        /^\/thirdpartyRequests\//,
        ({ json }) => json['transactionState'] === 'COMPLETED',
      ),
      (json) => ({ ...json, transactionState: 'COMMITTED' }),
    ),
    caughtBy: ['dfsp-payment'],
  },
  {
    does: 'reports an outcome twice',
    breakage: twice(),
    caughtBy: ['dfsp-one-final'],
  },
  {
    does: 'asks the user without a transaction type',
    breakage: writing(
      of('POST', /^\/thirdpartyRequests\/authorizations$/),
      ({ transactionType: _left, ...json }) => json,
    ),
    caughtBy: ['dfsp-terms'],
  },
  {
    does: 'reports the user’s refusal as an error',
    breakage: sending(
      of('PATCH', /^\/thirdpartyRequests\//, ({ json }) => json['transactionState'] === 'REJECTED'),
      (message) => ({
        ...message,
        method: 'PUT',
        path: `${message.path}/error`,
        body: Buffer.from(JSON.stringify(error('6003'))),
      }),
    ),
    caughtBy: ['dfsp-user-rejects'],
  },
  {
    does: 'pays whatever the auth service answers',
    breakage: takingErrors(),
    caughtBy: ['dfsp-wrong-signature'],
  },
  {
    does: 'tells the PISP why the quote failed',
    breakage: writing(of('PUT', isPath('error'), hasCode('6003')), () => error('5103')),
    caughtBy: ['dfsp-quote-refused'],
  },
  {
    does: 'gives no answer about an account that is not linked',
    breakage: silentAboutUnlinked(),
    caughtBy: ['dfsp-no-consent'],
  },
  {
    does: 'shows every PISP the state of a payment',
    breakage: dropping(
      (about) => isError(about) && about.headers['fspiop-destination'] === 'stranger',
    ),
    caughtBy: ['dfsp-revoked', 'dfsp-stranger'],
  },
]

function isPath(last: string): RegExp {
  return new RegExp(`^/thirdpartyRequests/transactions/[^/]+/${last}$`)
}

function silentAboutUnlinked(): Breakage {
  const ids = new Set<string>()
  return {
    ...dropping((about) => isError(about) && ids.has(about.path.split('/')[3] ?? '')),
    incoming(message, receive) {
      const json = jsonOf(message.body)
      if (JSON.stringify(json).includes('unlinked.')) ids.add(String(json['transactionRequestId']))
      return receive(message)
    },
  }
}

function twice(): Breakage {
  return {
    async outgoing(message, forward) {
      const answer = await forward(message)
      const about = { ...message, json: {} }
      return isFinal(about) ? forward(message) : answer
    },
  }
}

/** Takes an error of a verification for VERIFIED. */
function takingErrors(): Breakage {
  return {
    incoming(message, receive) {
      const { target } = message
      if (!/^\/thirdpartyRequests\/verifications\/.*\/error$/.test(target)) return receive(message)
      const body = Buffer.from(JSON.stringify({ authenticationResponse: 'VERIFIED' }))
      return receive({ ...message, target: target.replace('/error', ''), body })
    },
  }
}
