/**
 * DFSPs and PISPs of the stories: real participants with their own callback servers, whose users
 * act as the test directs. Every received message is recorded.
 */
import {
  createAuthenticator,
  createFsp,
  serveCallbacks,
  type Authenticator,
  type DfspOptions,
  type Fsp,
  type FspOptions,
  type PartyDetails,
  type PartyId,
  type LinkOrder,
  type LinkResult,
  type ThirdPartyOrder,
  type ThirdPartyPayment,
} from '@causeway/fsp'
import { randomBytes } from 'node:crypto'
import { proofOf } from '../operator/credentials.ts'
import { answered, onboard, type Onboarding, type Operator } from '../operator/operator.ts'
import type { Scheme } from '../hub/scheme.ts'

/** What participants need of the hub. */
export type AtHub = Pick<Scheme, 'hub' | 'operator' | 'isSafe'>

export interface TestParticipant {
  readonly fsp: Fsp
  readonly name: string
  readonly url: string
  /** "PATCH /consents/…", in order of arrival. */
  readonly received: readonly RecordedMessage[]
  /** Waits for a message that matches. */
  await(method: string, path: string | RegExp): Promise<RecordedMessage>
  awaitThat(fits: (message: RecordedMessage) => boolean): Promise<RecordedMessage>
  stop(): Promise<void>
}

export interface RecordedMessage {
  readonly method: string
  readonly path: string
  readonly source: string
  readonly json: Readonly<Record<string, unknown>>
}

/** A DFSP whose users are simulated by the test. */
export interface TestDfsp extends TestParticipant {
  readonly payments: readonly ThirdPartyPayment[]
  /** The one-time passwords that were sent, in order. */
  readonly otps: readonly string[]
}

export const origin = 'https://app.lemonpay.example'
export const callbackUri = `${origin}/linked`
/** The user id that each DFSP of the stories has for its user. */
export const userId = 'amara@example.com'

export const accountAt = (dfsp: Pick<TestParticipant, 'name'>) => `${dfsp.name}.amara.1`
export const otherAccountAt = (dfsp: Pick<TestParticipant, 'name'>) => `${dfsp.name}.amara.2`
export const scopesAt = (dfsp: Pick<TestParticipant, 'name'>) => [
  { address: accountAt(dfsp), actions: ['ACCOUNTS_TRANSFER'] },
]

export const payer = { type: 'MSISDN', id: '15550000001', name: 'Amara Example' } as const
export const mei = { type: 'MSISDN', id: '15550000002', name: 'Mei Example' } as const

const resendAfter_ms = 2_000
const wait_ms_max = 10_000

export async function openDfsp(
  scheme: AtHub,
  name: string,
  options: Partial<DfspOptions> = {},
  others: Partial<FspOptions> = {},
  onboarding: Onboarding = {},
): Promise<TestDfsp> {
  const payments: ThirdPartyPayment[] = []
  const otps: string[] = []
  const dfsp: DfspOptions = {
    accountsOf: (user) =>
      user === userId
        ? [
            { address: `${name}.amara.1`, currency: 'USD', accountNickname: 'Savings 123456' },
            { address: `${name}.amara.2`, currency: 'USD' },
          ]
        : [],
    isTrustedUri: (uri) => uri === callbackUri,
    authUriOf: (id) => `https://${name}.example/link/${id}`,
    sendOtp: (_user, otp) => void otps.push(otp),
    payerAccount: () => ({ state: 'READY', payer }),
    onPayment: (payment) => void payments.push(payment),
    ...options,
  }
  const participant = await open(scheme, name, { dfsp, ...others })
  await onboard(scheme.operator, participant, onboarding)
  const value = participant.url
  await answered(
    scheme.operator.call('POST', `/participants/${name}/endpoints`, {
      type: 'TP_CB_URL_CONSENT_REQUEST_POST',
      value,
    }),
  )
  return { ...participant, payments, otps }
}

export async function openPisp(
  scheme: AtHub,
  name: string,
  options: Partial<FspOptions> = {},
): Promise<TestParticipant> {
  const participant = await open(scheme, name, options, { type: 'PISP' })
  await onboardPisp(scheme.operator, participant)
  return participant
}

/** A PISP has no currency, no limit and no funds. */
export async function onboardPisp(
  operator: Operator,
  { name, url }: Pick<TestParticipant, 'name' | 'url'>,
): Promise<void> {
  const { status } = await operator.call('GET', `/participants/${name}`)
  if (status === 404) {
    await answered(operator.call('POST', '/participants', { name, type: 'PISP' }))
  }
  for (const type of ['FSPIOP_CALLBACK_URL', 'TP_CB_URL_CONSENT_REQUEST_PUT']) {
    await answered(operator.call('POST', `/participants/${name}/endpoints`, { type, value: url }))
  }
  await answered(operator.call('PUT', `/participants/${name}`, { isActive: true }))
}

/** The FSP of the payee, whose number is registered with the scheme. */
export async function openPayee(
  scheme: AtHub,
  name: string,
  options: Partial<FspOptions> = {},
  customer: PartyDetails & PartyId = mei,
): Promise<TestParticipant> {
  const participant = await open(scheme, name, {
    onLookUp: (party) => (party.id === customer.id ? customer : undefined),
    ...options,
  })
  await onboard(scheme.operator, participant)
  const { state } = await participant.fsp.associate(customer)
  if (state !== 'DONE') throw new Error(`the hub does not register the payee: ${state}`)
  return participant
}

async function open(
  scheme: AtHub,
  name: string,
  options: Partial<FspOptions>,
  kind: { readonly type: 'PISP' } | { readonly currency: string } = { currency: 'USD' },
): Promise<TestParticipant> {
  const proof = scheme.isSafe ? await proven(scheme.operator, name, kind) : undefined
  const received: RecordedMessage[] = []
  const waiting = new Set<() => void>()
  const fsp = createFsp({
    name,
    hubUrl: scheme.hub.urls.fsp,
    secret: randomBytes(32),
    resendAfter_ms,
    ...proof,
    ...options,
  })
  const server = await serveCallbacks(
    {
      async receive(message) {
        const { method, target, headers, body } = message
        const json =
          body.length === 0 ? {} : (JSON.parse(body.toString()) as RecordedMessage['json'])
        const judgement = await fsp.receive(message)
        received.push({ method, path: target, source: String(headers['fspiop-source']), json })
        for (const look of waiting) look()
        return judgement
      },
    },
    {
      host: '127.0.0.1',
      port: 0,
      ...(proof && { tls: { ...proof.tls, client: 'Hub' } }),
    },
  )
  const awaitThat = (fits: (message: RecordedMessage) => boolean) =>
    new Promise<RecordedMessage>((resolve, reject) => {
      const look = () => {
        const found = received.find(fits)
        if (found === undefined) return
        waiting.delete(look)
        clearTimeout(late)
        resolve(found)
      }
      const late = setTimeout(() => {
        waiting.delete(look)
        const got = received.map(({ method, path }) => `${method} ${path}`).join(', ')
        reject(new Error(`${name} did not receive the expected message; it received: ${got}`))
      }, wait_ms_max)
      waiting.add(look)
      look()
    })
  return {
    fsp,
    name,
    url: server.url,
    received,
    awaitThat,
    await: (method, path) =>
      awaitThat(
        (message) =>
          message.method === method &&
          (typeof path === 'string' ? message.path === path : path.test(message.path)),
      ),
    async stop() {
      await fsp.close()
      await server.stop()
    },
  }
}

/** Only a registered participant receives a certificate. */
async function proven(operator: Operator, name: string, kind: object) {
  await answered(operator.call('POST', '/participants', { name, ...kind }))
  return proofOf(operator, name)
}

/**
 * The user logs in at the DFSP and allows the requested accounts, or enters the one-time password
 * from the phone.
 */
export function linkingAt(
  dfsp: TestDfsp,
  device: Authenticator,
  changes: Partial<LinkOrder> = {},
): LinkOrder {
  return {
    dfspId: dfsp.name,
    userId,
    scopes: scopesAt(dfsp),
    channels: ['WEB'],
    callbackUri,
    async authenticate({ channel, consentRequestId }) {
      if (channel === 'OTP') return dfsp.otps.at(-1)
      const back = await dfsp.fsp.dfsp.grant(consentRequestId, scopesAt(dfsp))
      return new URL(back ?? callbackUri).searchParams.get('authToken') ?? undefined
    },
    createCredential: ({ challenge }) =>
      Promise.resolve({
        credentialType: 'FIDO',
        fidoPayload: device.register({ challenge, origin }),
      }),
    ...changes,
  }
}

/** Links an account under a consent whose key is on the device. */
export async function linkedAt(
  pisp: TestParticipant,
  dfsp: TestDfsp,
  device: Authenticator = createAuthenticator(),
): Promise<{ readonly consentId: string; readonly device: Authenticator }> {
  const result = await pisp.fsp.pisp.link(linkingAt(dfsp, device))
  return { consentId: consentIdOf(result), device }
}

export function consentIdOf(result: LinkResult): string {
  if (result.state !== 'LINKED') throw new Error(`nothing was linked: ${JSON.stringify(result)}`)
  return result.consentId
}

export function paymentFrom(
  dfsp: Pick<TestParticipant, 'name'>,
  device: Authenticator,
  changes: Partial<ThirdPartyOrder> = {},
): ThirdPartyOrder {
  return {
    dfspId: dfsp.name,
    account: accountAt(dfsp),
    to: { type: mei.type, id: mei.id },
    amount: { currency: 'USD', amount: '10' },
    expiration: new Date(Date.now() + 20_000),
    sign: ({ challenge }) =>
      Promise.resolve({
        signedPayloadType: 'FIDO',
        fidoSignedPayload: device.assert({
          challenge: Buffer.from(challenge, 'base64url'),
          origin,
        }),
      }),
    ...changes,
  }
}
