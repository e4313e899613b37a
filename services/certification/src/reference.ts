/**
 * The reference FSP as an FSP under test: `@causeway/fsp` behind a callback server of its own, with one
 * customer, who also has an account to link. It is triggered by calls instead of a webhook.
 */
import {
  createFsp,
  createGenericKey,
  type Encryption,
  type Fsp,
  type FspOptions,
  serveCallbacks,
  type Signing,
} from '@causeway/fsp'
import type { VerificationKey } from '@causeway/fspiop'
import { randomBytes } from 'node:crypto'
import type { CertificationSettings } from './settings.ts'
import { NotTriggered, type ActionOutcome, type Trigger, type TriggerRequest } from './trigger.ts'

export interface ReferenceOptions {
  readonly name: string
  readonly hubUrl: string
  readonly signing?: Signing
  /** Of the kit, for every sender. */
  readonly kitKeys?: readonly VerificationKey[]
  readonly encryption?: Encryption
  /** Asks again after so long without an answer. */
  readonly resendAfter_ms: number
  readonly options?: Partial<FspOptions>
  /** Stands between the hub and the FSP. */
  readonly around?: (fsp: Pick<Fsp, 'receive'>) => Pick<Fsp, 'receive'>
}

export interface Reference {
  readonly callbackUrl: string
  readonly trigger: Trigger
  stop(): Promise<void>
}

/** What the kit has to know about the reference FSP. */
export const referenceFacts: Pick<
  CertificationSettings,
  'party' | 'userId' | 'callbackUri' | 'reserveAmount' | 'currency'
> = {
  party: { type: 'MSISDN', id: '12025550101' },
  userId: 'amara',
  callbackUri: 'https://app.certification.example/linked',
  reserveAmount: '11.01',
  currency: 'USD',
}

const amara = { type: 'MSISDN', id: '12025550101', name: 'Amara Example' } as const
const account = { address: 'reference.amara.everyday', currency: 'USD' }

export async function openReference(own: ReferenceOptions): Promise<Reference> {
  const { name, hubUrl, signing, kitKeys, encryption, resendAfter_ms, options } = own
  const fsp = createFsp({
    name,
    hubUrl,
    secret: randomBytes(32),
    resendAfter_ms,
    ...(signing === undefined ? {} : { signing }),
    ...(kitKeys === undefined ? {} : { keysOf: () => Promise.resolve(kitKeys) }),
    ...(encryption === undefined ? {} : { encryption }),
    onLookUp: ({ id }) => (id === amara.id ? amara : undefined),
    onTransfer: ({ amount }) =>
      amount.amount === referenceFacts.reserveAmount ? { type: 'RESERVE' } : { type: 'COMMIT' },
    onRequest: () => ({ type: 'PAY', payer: amara }),
    dfsp: {
      accountsOf: (userId) => (userId === referenceFacts.userId ? [account] : []),
      isTrustedUri: (uri) => uri === referenceFacts.callbackUri,
      authUriOf: (id) => `https://reference.example/link/${id}`,
      payerAccount: () => ({ state: 'READY', payer: amara }),
    },
    ...options,
  })
  const { around = (inner) => inner } = own
  const server = await serveCallbacks(around(fsp), { host: '127.0.0.1', port: 0 })
  const key = createGenericKey()
  return {
    callbackUrl: server.url,
    trigger: (asked) => act(fsp, key, asked),
    async stop() {
      await fsp.close()
      await server.stop()
    },
  }
}

type ActionRequest<Name extends TriggerRequest['action']> = Extract<
  TriggerRequest,
  { action: Name }
>

async function act(
  fsp: Fsp,
  key: ReturnType<typeof createGenericKey>,
  asked: TriggerRequest,
): Promise<ActionOutcome> {
  switch (asked.action) {
    case 'pay':
      return pay(fsp, asked)
    case 'payBulk':
      return payBulk(fsp, asked)
    case 'requestPayment':
      return requestPayment(fsp, asked)
    case 'authenticate':
      return authenticate(fsp, asked)
    case 'link':
      return link(fsp, key, asked)
    case 'unlink':
      return { state: (await fsp.pisp.unlink(asked.consentId)).state }
    case 'payFromLink':
      return payFromLink(fsp, key, asked)
  }
}

const after = (ms: number) => new Date(Date.now() + ms)

async function pay(
  fsp: Fsp,
  { to, amount, validFor_ms }: ActionRequest<'pay'>,
): Promise<ActionOutcome> {
  const { state } = await fsp.pay({
    payer: amara,
    to: { type: to.partyIdType as 'MSISDN', id: to.partyIdentifier },
    amount,
    expiration: after(validFor_ms),
  })
  return { state }
}

async function payBulk(
  fsp: Fsp,
  { to, amount, validFor_ms }: ActionRequest<'payBulk'>,
): Promise<ActionOutcome> {
  const { payments } = await fsp.payBulk({
    payer: amara,
    payments: to.map(({ partyIdType, partyIdentifier }) => ({
      to: { type: partyIdType as 'MSISDN', id: partyIdentifier },
      amount,
    })),
    expiration: after(validFor_ms),
  })
  return { state: payments.map(({ state }) => state).join(',') }
}

async function requestPayment(
  fsp: Fsp,
  { payer, amount, validFor_ms }: ActionRequest<'requestPayment'>,
): Promise<ActionOutcome> {
  const { partyIdType, partyIdentifier, fspId } = payer
  const { state } = await fsp.requestPayment({
    payee: amara,
    payer: { type: partyIdType as 'MSISDN', id: partyIdentifier, fspId },
    amount,
    expiration: after(validFor_ms),
  })
  return { state }
}

async function authenticate(
  fsp: Fsp,
  { consentRequestId }: ActionRequest<'authenticate'>,
): Promise<ActionOutcome> {
  const choices = await fsp.dfsp.choicesOf(consentRequestId)
  const back = await fsp.dfsp.grant(consentRequestId, choices?.scopes ?? [])
  const authToken = back === undefined ? null : new URL(back).searchParams.get('authToken')
  if (authToken === null) throw new NotTriggered('the DFSP did not grant the consent request')
  return { authToken }
}

async function link(
  fsp: Fsp,
  key: ReturnType<typeof createGenericKey>,
  { dfspId, userId, address, authToken }: ActionRequest<'link'>,
): Promise<ActionOutcome> {
  const { state } = await fsp.pisp.link({
    dfspId,
    userId,
    scopes: [{ address, actions: ['ACCOUNTS_TRANSFER'] }],
    channels: ['WEB'],
    callbackUri: referenceFacts.callbackUri,
    authenticate: () => Promise.resolve(authToken),
    createCredential: ({ challenge }) =>
      Promise.resolve({
        credentialType: 'GENERIC',
        genericPayload: {
          publicKey: key.publicKey,
          signature: key.sign(challenge.toString('base64url')),
        },
      }),
  })
  return { state }
}

async function payFromLink(
  fsp: Fsp,
  key: ReturnType<typeof createGenericKey>,
  { dfspId, address, to, amount, validFor_ms }: ActionRequest<'payFromLink'>,
): Promise<ActionOutcome> {
  const { state } = await fsp.pisp.pay({
    dfspId,
    account: address,
    to: { type: to.partyIdType as 'MSISDN', id: to.partyIdentifier },
    amount,
    expiration: after(validFor_ms),
    sign: ({ challenge }) =>
      Promise.resolve({ signedPayloadType: 'GENERIC', genericSignedPayload: key.sign(challenge) }),
  })
  return { state }
}
