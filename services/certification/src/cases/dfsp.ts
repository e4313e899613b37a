/**
 * The FSP as a DFSP: linking its users' accounts for PISPs, and paying from them. Linking needs the
 * trigger `authenticate`, the part of the user at the DFSP.
 */
import { createAuthenticator } from '@causeway/fsp'
import { randomUUID } from 'node:crypto'
import { type Case, NotRun } from '../case.ts'
import {
  accountsOf,
  askForConsent,
  granted,
  linked,
  linkedAndVerified,
  linkedOrNotRun,
  newConsentRequest,
  pispOf,
  requestPayment,
  userOf,
} from '../counterparts/pisp.ts'
import { describe, type Matches } from '../kit.ts'
import { at, ensure, expectError, is, isAnswer, servedOrNotRun } from '../read.ts'

const role = 'dfsp' as const

const linking: readonly Case[] = [
  {
    id: 'dfsp-accounts',
    title: 'A user’s accounts have an address and a currency',
    role,
    section: 'Third-Party: linking 1.2',
    async run(kit) {
      for (const account of await accountsOf(kit)) {
        const { address, currency } = account as Readonly<Record<string, unknown>>
        ensure(
          typeof address === 'string' && typeof currency === 'string',
          'address and currency',
          JSON.stringify(account),
        )
      }
    },
  },
  {
    id: 'dfsp-accounts-unknown-user',
    title: 'For an unknown user the DFSP answers with 6205',
    role,
    section: 'Third-Party: linking 1.2, error codes',
    async run(kit) {
      userOf(kit)
      const path = `/accounts/certification-${randomUUID()}`
      servedOrNotRun(await kit.send({ method: 'GET', path, ...pispOf(kit, {}) }), '/accounts')
      expectError(await kit.expect(`PUT ${path}/error`, isAnswer(path)), ['6205'])
    },
  },
  {
    id: 'dfsp-consent-request',
    title: 'A consent request is answered with one channel; WEB has an authUri',
    role,
    section: 'Third-Party: linking 1.3',
    async run(kit) {
      const answer = await askForConsent(kit, await newConsentRequest(kit))
      const channels = at(answer.json, 'authChannels')
      const [channel] = Array.isArray(channels) ? (channels as readonly unknown[]) : []
      ensure(
        Array.isArray(channels) &&
          channels.length === 1 &&
          ['WEB', 'OTP'].includes(String(channel)),
        'authChannels with exactly one of WEB and OTP',
        describe(answer),
      )
      ensure(
        channel !== 'WEB' || typeof at(answer.json, 'authUri') === 'string',
        'authUri with WEB',
        describe(answer),
      )
    },
  },
  {
    id: 'dfsp-untrusted-uri',
    title: 'A consent request that sends users back to an untrusted address is refused with 6204',
    role,
    section: 'Third-Party: linking 1.3, error codes',
    async run(kit) {
      const changes = { callbackUri: 'https://untrusted.example/', authChannels: ['WEB'] }
      const request = await newConsentRequest(kit, {}, changes)
      expectError(await askForConsent(kit, request), ['6204'])
    },
  },
  {
    id: 'dfsp-foreign-account',
    title: 'A consent request for an account that the user does not have is refused with 6101',
    role,
    section: 'Third-Party: linking 1.3, error codes',
    async run(kit) {
      const scopes = [{ address: `unknown.${randomUUID()}`, actions: ['ACCOUNTS_TRANSFER'] }]
      const request = await newConsentRequest(kit, {}, { scopes })
      expectError(await askForConsent(kit, request), ['6101', '6104'])
    },
  },
  {
    id: 'dfsp-wrong-token',
    title: 'A wrong token is refused with 6203, and nothing is granted',
    role,
    section: 'Third-Party: linking 1.4, error codes',
    async run(kit) {
      const request = await newConsentRequest(kit)
      const path = `/consentRequests/${request.consentRequestId}`
      const first = await askForConsent(kit, request)
      const body = { authToken: 'Y2VydGlmaWNhdGlvbg' }
      await kit.sendExpecting(200, { method: 'PATCH', path, ...pispOf(kit, {}), body })
      const answer = await kit.expect(
        `PUT ${path}/error`,
        (message) => message !== first && isAnswer(path)(message),
      )
      expectError(answer, ['6203'])
      await kit.expectNone('POST /consents after a wrong token', isGrantOf(request))
    },
  },
  {
    id: 'dfsp-grant',
    title:
      'The grant is POST /consents: ISSUED, with scopes that were requested, without a credential',
    role,
    section: 'Third-Party: linking 1.5',
    async run(kit) {
      const request = await newConsentRequest(kit)
      await askForConsent(kit, request)
      const { json, ...message } = await granted(kit, request)
      ensure(at(json, 'status') === 'ISSUED', 'status ISSUED', describe({ json, ...message }))
      const scopes = at(json, 'scopes')
      const addresses = request.scopes.map(({ address }) => address)
      ensure(
        Array.isArray(scopes) &&
          scopes.length > 0 &&
          scopes.every((scope) => addresses.includes(String(at(scope, 'address')))),
        `scopes within ${addresses.join(', ')}`,
        describe({ json, ...message }),
      )
    },
  },
  {
    id: 'dfsp-link',
    title: 'A key that signed the challenge is VERIFIED for the PISP in the final consent',
    role,
    section: 'Third-Party: linking 1.6',
    run: async (kit) => void (await linkedAndVerified(kit)),
  },
  {
    id: 'dfsp-registration',
    title:
      'The registration at the auth service has id and scopes of the consent, and the key as PENDING',
    role,
    section: 'Third-Party: linking 1.6.2',
    async run(kit) {
      const { registration, consentId, address } = await linkedAndVerified(kit)
      if (registration === undefined) throw new NotRun('the DFSP verifies keys itself')
      const { json } = registration
      const isRight =
        at(json, 'consentId') === consentId &&
        at(json, 'scopes', 0, 'address') === address &&
        at(json, 'credential', 'status') === 'PENDING' &&
        at(json, 'status') === 'ISSUED'
      ensure(isRight, 'consentId, scopes, PENDING and ISSUED', describe(registration))
    },
  },
  {
    id: 'dfsp-key-refused',
    title:
      'A key that the auth service refuses is not linked: the PISP gets an error of the consent',
    role,
    section: 'Third-Party: linking 1.6, error codes',
    async run(kit) {
      const { final, registration } = await linked(kit, { registrationError: '6200' })
      if (registration === undefined) throw new NotRun('the DFSP verifies keys itself')
      expectError(final, ['6'])
    },
  },
]

const isGrantOf =
  ({ consentRequestId }: { readonly consentRequestId: string }): Matches =>
  (message) =>
    is('POST', '/consents')(message) && at(message.json, 'consentRequestId') === consentRequestId

const payments: readonly Case[] = [
  {
    id: 'dfsp-payment',
    title:
      'A payment is quoted, signed by the user, paid, and ends with PATCH ACCEPTED and COMPLETED',
    role,
    section: 'Third-Party: transfer 1.2 to 1.5',
    async run(kit) {
      const payment = await requestPayment(kit, await linkedOrNotRun(kit))
      await kit.expect('POST /quotes', payment.payee.isQuote)
      await kit.expect('POST /thirdpartyRequests/authorizations', payment.isTerms)
      await kit.expect('POST /transfers', payment.payee.isTransfer)
      const final = await kit.expect('PATCH /thirdpartyRequests/transactions/{ID}', payment.isFinal)
      ensure(
        at(final.json, 'transactionRequestState') === 'ACCEPTED' &&
          at(final.json, 'transactionState') === 'COMPLETED',
        'ACCEPTED and COMPLETED',
        describe(final),
      )
    },
  },
  {
    id: 'dfsp-one-final',
    title: 'A payment has exactly one final callback',
    role,
    section: 'Third-Party: transfer 1.5',
    async run(kit) {
      const payment = await requestPayment(kit, await linkedOrNotRun(kit))
      const final = await kit.expect('a final callback', payment.isFinal)
      await kit.expectNone(
        'second final callback',
        (message) => message !== final && payment.isFinal(message),
      )
    },
  },
  {
    id: 'dfsp-terms',
    title: 'The terms for the user carry a challenge, the amounts and the transaction type',
    role,
    section: 'Third-Party: transfer 1.3.2',
    async run(kit) {
      const payment = await requestPayment(kit, await linkedOrNotRun(kit))
      const terms = await kit.expect('POST /thirdpartyRequests/authorizations', payment.isTerms)
      for (const name of ['authorizationRequestId', 'challenge', 'transactionType']) {
        ensure(at(terms.json, name) !== undefined, name, describe(terms))
      }
      const shown = at(terms.json, 'transferAmount', 'amount')
      ensure(
        shown === undefined || shown === payment.payee.quote?.answer.transferAmount.amount,
        'the transfer amount of the quote',
        describe(terms),
      )
    },
  },
  {
    id: 'dfsp-user-rejects',
    title: 'A payment that the user rejects ends with PATCH REJECTED, and nothing is transferred',
    role,
    section: 'Third-Party: transfer 1.3.3',
    async run(kit) {
      const link = await linkedOrNotRun(kit)
      const payment = await requestPayment(kit, link, { rejects: true })
      const final = await kit.expect('a final callback', payment.isFinal)
      ensure(
        at(final.json, 'transactionRequestState') === 'REJECTED',
        'PATCH with REJECTED',
        describe(final),
      )
      await kit.expectNone('POST /transfers', payment.payee.isTransfer)
    },
  },
  {
    id: 'dfsp-wrong-signature',
    title: 'A payment whose signature is wrong ends with an error, and nothing is transferred',
    role,
    section: 'Third-Party: transfer 1.4, error codes',
    async run(kit) {
      const link = await linkedOrNotRun(kit)
      const other = { ...link, device: createAuthenticator() }
      const payment = await requestPayment(kit, other, { verificationError: '6201' })
      expectError(await kit.expect('a final callback', payment.isFinal), ['62', '61', '60'])
      await kit.expectNone('POST /transfers', payment.payee.isTransfer)
    },
  },
  {
    id: 'dfsp-quote-refused',
    title: 'A payment whose quote is refused ends with an error without details',
    role,
    section: 'Third-Party: transfer 1.5, error codes',
    async run(kit) {
      const link = await linkedOrNotRun(kit)
      const payee = {
        onQuote: (_payee: unknown, usual: { readonly path: string }) => [
          {
            method: 'PUT' as const,
            from: kit.settings.counterparty,
            to: kit.settings.fsp,
            path: `${usual.path}/error`,
            body: { errorInformation: { errorCode: '5103', errorDescription: 'Refused' } },
          },
        ],
      }
      const payment = await requestPayment(kit, link, { payee })
      expectError(await kit.expect('a final callback', payment.isFinal), ['6003', '6000'])
    },
  },
  {
    id: 'dfsp-no-consent',
    title: 'A payment from an account that is not linked is refused, and nothing is quoted',
    role,
    section: 'Third-Party: transfer 1.2, error codes',
    async run(kit) {
      userOf(kit)
      const link = { address: `unlinked.${randomUUID()}`, device: createAuthenticator() }
      const payment = await requestPayment(kit, link)
      expectError(await kit.expect('a final callback', payment.isFinal), ['61'])
      await kit.expectNone('POST /quotes', payment.payee.isQuote)
    },
  },
  {
    id: 'dfsp-revoked',
    title: 'After a consent was revoked, a payment under it is refused',
    role,
    section: 'Third-Party: linking 1.7',
    async run(kit) {
      // A PISP of its own: the account may have other consents of the counterparty.
      const script = { pisp: kit.settings.stranger }
      const link = await linkedOrNotRun(kit, script)
      const { authService, fsp } = kit.settings
      const from = link.registration === undefined ? script.pisp : authService
      const path = `/consents/${link.consentId}`
      if (from === authService) {
        const body = { status: 'REVOKED', revokedAt: new Date().toISOString() }
        await kit.sendExpecting(200, { method: 'PATCH', path, from, to: fsp, body })
      } else {
        await kit.sendExpecting(202, { method: 'DELETE', path, from, to: fsp })
        await kit.expect(`PATCH ${path}`, is('PATCH', path))
      }
      const payment = await requestPayment(kit, link, script)
      expectError(await kit.expect('a final callback', payment.isFinal), ['61'])
    },
  },
  {
    id: 'dfsp-stranger',
    title: 'Another PISP learns nothing about a payment: GET is answered with an error',
    role,
    section: 'Third-Party: transfer 1.6',
    async run(kit) {
      const payment = await requestPayment(kit, await linkedOrNotRun(kit))
      const final = await kit.expect('a final callback', payment.isFinal)
      const { stranger, fsp } = kit.settings
      const path = `/thirdpartyRequests/transactions/${payment.id}`
      await kit.sendExpecting(202, { method: 'GET', path, from: stranger, to: fsp })
      const answer = await kit.expect(
        'an error for the stranger',
        (message) =>
          message !== final &&
          isAnswer(path)(message) &&
          message.headers['fspiop-destination'] === stranger,
      )
      expectError(answer, ['6', '32'])
    },
  },
]

export const dfsp: readonly Case[] = [...linking, ...payments]
