/** One valid body for each message of the Third-Party API, with every known member. */
import { putAccounts } from '../resources/pisp/accounts.ts'
import {
  postThirdpartyAuthorizations,
  putThirdpartyAuthorizations,
} from '../resources/pisp/authorizations.ts'
import {
  patchConsentRequests,
  postConsentRequests,
  putConsentRequests,
} from '../resources/pisp/consentRequests.ts'
import {
  patchConsents,
  postConsents,
  postConsentsRegistration,
  putConsents,
} from '../resources/pisp/consents.ts'
import { putServices } from '../resources/pisp/services.ts'
import {
  patchThirdpartyTransactions,
  postThirdpartyTransactions,
  putThirdpartyTransactions,
} from '../resources/pisp/transactions.ts'
import { postVerifications, putVerifications } from '../resources/pisp/verifications.ts'
import { extensions, uuid, type ExampleMessage } from './messages.ts'

const expiration = '2030-01-01T00:00:00.000Z'
const usd = (amount: string) => ({ currency: 'USD', amount })
export const scopes = [
  { address: 'bankx.acc.000123', actions: ['ACCOUNTS_TRANSFER', 'ACCOUNTS_GET_BALANCE'] },
  { accountId: 'bankx.acc.000456', actions: ['ACCOUNTS_GET_BALANCE'] },
]
const payer = {
  partyIdType: 'THIRD_PARTY_LINK',
  partyIdentifier: 'bankx.acc.000123',
  fspId: 'bankx',
}
const payee = {
  partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: '255700000001', fspId: 'banky' },
}
const transactionType = { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' }
const credential = {
  credentialType: 'FIDO',
  status: 'PENDING',
  fidoPayload: {
    id: 'aWQ',
    rawId: 'aWQ=',
    response: { clientDataJSON: 'e30=', attestationObject: 'o2M=' },
    type: 'public-key',
  },
}
const assertion = {
  id: 'aWQ',
  rawId: 'aWQ=',
  response: { authenticatorData: 'YQ==', clientDataJSON: 'e30=', signature: 'c2ln' },
  type: 'public-key',
}
const extensionList = extensions(16)

export const thirdPartyMessages: readonly ExampleMessage[] = [
  {
    name: 'PUT /services/{ServiceType}',
    schema: putServices,
    body: { providers: ['bankx', 'banky'], extensionList },
    required: ['/providers'],
    hasExtensions: true,
  },
  {
    name: 'PUT /accounts/{ID}',
    schema: putAccounts,
    body: {
      accounts: [{ address: 'bankx.acc.1', accountNickname: '**** 1', currency: 'USD' }],
      extensionList,
    },
    required: ['/accounts/0/currency'],
    hasExtensions: true,
  },
  {
    name: 'POST /consentRequests',
    schema: postConsentRequests,
    body: {
      consentRequestId: uuid,
      userId: 'amina@bankx',
      scopes,
      authChannels: ['WEB', 'OTP'],
      callbackUri: 'pisp-app://linked',
      extensionList,
    },
    required: ['/consentRequestId', '/userId', '/scopes', '/scopes/0/actions', '/authChannels'],
    hasExtensions: true,
  },
  {
    name: 'PUT /consentRequests/{ID}',
    schema: putConsentRequests,
    body: {
      scopes,
      authChannels: ['WEB'],
      callbackUri: 'https://app.pispx.example/linked',
      authUri: 'https://login.bankx.example/link?r=1',
      extensionList,
    },
    required: ['/scopes', '/authChannels'],
    hasExtensions: true,
  },
  {
    name: 'PATCH /consentRequests/{ID}',
    schema: patchConsentRequests,
    body: { authToken: '493817', extensionList },
    required: ['/authToken'],
    hasExtensions: true,
  },
  {
    name: 'POST /consents to a PISP',
    schema: postConsents,
    body: {
      consentId: uuid,
      consentRequestId: uuid,
      scopes,
      status: 'ISSUED',
      credential,
      extensionList,
    },
    required: ['/consentId', '/scopes', '/status'],
    hasExtensions: true,
  },
  {
    name: 'POST /consents to the auth service',
    schema: postConsentsRegistration,
    body: {
      consentId: uuid,
      consentRequestId: uuid,
      scopes,
      status: 'ISSUED',
      credential,
      extensionList,
    },
    required: [
      '/consentId',
      '/scopes',
      '/status',
      '/credential',
      '/credential/credentialType',
      '/credential/status',
    ],
    hasExtensions: true,
  },
  {
    name: 'PUT /consents/{ID}',
    schema: putConsents,
    body: { scopes, credential, status: 'ISSUED', extensionList },
    required: ['/credential/credentialType', '/credential/status'],
    hasExtensions: true,
  },
  {
    name: 'PATCH /consents/{ID}',
    schema: patchConsents,
    body: {
      status: 'REVOKED',
      revokedAt: '2027-03-02T08:15:30.123Z',
      credential: { status: 'VERIFIED', credentialType: 'FIDO' },
      extensionList,
    },
    required: [],
    hasExtensions: true,
  },
  {
    name: 'POST /thirdpartyRequests/transactions',
    schema: postThirdpartyTransactions,
    body: {
      transactionRequestId: uuid,
      payee,
      payer,
      amountType: 'SEND',
      amount: usd('100'),
      transactionType,
      note: 'n',
      expiration,
      extensionList,
    },
    required: [
      '/transactionRequestId',
      '/payee',
      '/payee/partyIdInfo/partyIdType',
      '/payer',
      '/payer/partyIdentifier',
      '/amountType',
      '/amount',
      '/transactionType',
      '/transactionType/scenario',
    ],
    hasExtensions: true,
  },
  {
    name: 'PUT /thirdpartyRequests/transactions/{ID}',
    schema: putThirdpartyTransactions,
    body: { transactionId: uuid, transactionRequestState: 'RECEIVED', extensionList },
    required: ['/transactionRequestState'],
    hasExtensions: true,
  },
  {
    name: 'PATCH /thirdpartyRequests/transactions/{ID}',
    schema: patchThirdpartyTransactions,
    body: {
      transactionRequestState: 'ACCEPTED',
      transactionState: 'COMPLETED',
      completedTimestamp: '2027-03-01T12:01:07.250Z',
      extensionList,
    },
    required: ['/transactionRequestState'],
    hasExtensions: true,
  },
  {
    name: 'POST /thirdpartyRequests/authorizations',
    schema: postThirdpartyAuthorizations,
    body: {
      authorizationRequestId: uuid,
      transactionRequestId: uuid,
      challenge: 'hAf-Ei8z3BPHxlQujtJPE5w2d5cZBbLCxzeEMkpK8-o',
      transactionType,
      transferAmount: usd('100'),
      payeeReceiveAmount: usd('99'),
      fees: usd('1'),
      payer,
      payee,
      expiration,
      extensionList,
    },
    required: [
      '/authorizationRequestId',
      '/transactionRequestId',
      '/challenge',
      '/transactionType',
    ],
    hasExtensions: true,
  },
  {
    name: 'PUT /thirdpartyRequests/authorizations/{ID}',
    schema: putThirdpartyAuthorizations,
    body: {
      responseType: 'ACCEPTED',
      signedPayload: {
        signedPayloadType: 'FIDO',
        fidoSignedPayload: assertion,
        genericSignedPayload: 'c2ln',
      },
      extensionList,
    },
    required: ['/responseType', '/signedPayload', '/signedPayload/signedPayloadType'],
    hasExtensions: true,
  },
  {
    name: 'POST /thirdpartyRequests/verifications',
    schema: postVerifications,
    body: {
      verificationRequestId: uuid,
      challenge: 'hAf-Ei8z3BPHxlQujtJPE5w2d5cZBbLCxzeEMkpK8-o',
      consentId: uuid,
      signedPayloadType: 'FIDO',
      fidoSignedPayload: assertion,
      fidoValue: assertion,
      genericSignedPayload: 'c2ln',
      genericValue: 'c2ln',
      extensionList,
    },
    required: ['/verificationRequestId', '/challenge', '/consentId', '/signedPayloadType'],
    hasExtensions: true,
  },
  {
    name: 'PUT /thirdpartyRequests/verifications/{ID}',
    schema: putVerifications,
    body: { authenticationResponse: 'VERIFIED', extensionList },
    required: ['/authenticationResponse'],
    hasExtensions: true,
  },
]
