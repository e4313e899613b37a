/**
 * FIDO credentials: checks whether an authenticator made the credential for this challenge, and
 * whether the same credential signed another one. The policy (`relying-party.ts`) judges the
 * origin. (Web Authentication Level 3, sections 7.1 and 7.2; Third-Party API v1.0, section 3.2.3)
 */
import { hash, verify, type X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { attestationFault } from './attestation.ts'
import { signingKeyOf } from './cose.ts'
import {
  invalid,
  type Ceremony,
  type CredentialCheck,
  type FidoVerifier,
  type SignatureCheck,
} from './verifier.ts'

/**
 * Loaded with the first credential: loading takes half a second, which would delay every start of a
 * hub.
 */
const loadHelpers = () => import('@simplewebauthn/server/helpers')

type Parse = Awaited<ReturnType<typeof loadHelpers>>['parseAuthenticatorData']

const id_max = 1_368
const member_max = 16_384

/** Bytes in either alphabet of base64, padded or not; published lengths exclude real credentials. */
function bytes(length_max: number) {
  return z
    .string()
    .max(length_max)
    .regex(/^[\w+/-]+={0,2}$/)
    .transform((text) => Buffer.from(text, 'base64'))
}

const credential = {
  id: bytes(id_max),
  rawId: bytes(id_max).optional(),
  type: z.literal('public-key').optional(),
}

const attestationPayload = z.looseObject({
  ...credential,
  response: z.looseObject({
    clientDataJSON: bytes(member_max),
    attestationObject: bytes(member_max),
  }),
})

const assertionPayload = z.looseObject({
  ...credential,
  response: z.looseObject({
    clientDataJSON: bytes(member_max),
    authenticatorData: bytes(member_max),
    signature: bytes(member_max),
  }),
})

const clientData = z.looseObject({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
})

type ClientData = z.infer<typeof clientData>

/** The credential and the challenge that a payload names; nothing of it is verified. */
export interface Presented {
  /** base64url without padding, like the challenge. */
  readonly credentialId: string
  readonly challenge: string
}

const presentedPayload = z.looseObject({
  id: bytes(id_max),
  response: z.looseObject({ clientDataJSON: bytes(member_max) }),
})

/** Reads an attestation or assertion before it is checked; undefined if it is malformed. */
export function presentedIn(payload: unknown): Presented | undefined {
  const { data } = presentedPayload.safeParse(payload)
  if (data === undefined) return undefined
  const client = clientData.safeParse(parsed(data.response.clientDataJSON)).data
  if (client === undefined) return undefined
  const challenge = base64url(Buffer.from(client.challenge, 'base64'))
  return { credentialId: base64url(data.id), challenge }
}

/**
 * The id of the credential in an attestation object, base64url, for clients that do not name it;
 * undefined if the object cannot be read, or is longer than any that is accepted.
 * @param attestationObject base64 or base64url
 */
export async function credentialIdIn(attestationObject: string): Promise<string | undefined> {
  if (attestationObject.length > member_max) return undefined
  const { decodeAttestationObject, parseAuthenticatorData } = await loadHelpers()
  try {
    const object = Uint8Array.from(Buffer.from(attestationObject, 'base64'))
    const data = parseAuthenticatorData(decodeAttestationObject(object).get('authData'))
    return data.credentialID === undefined ? undefined : base64url(data.credentialID)
  } catch {
    return undefined
  }
}

/**
 * Checks FIDOPublicKeyCredentialAttestation.
 * @param challenges that the client may have received, base64url without padding
 * @param roots one of them has to have certified the device; empty: any maker is accepted
 */
export async function checkAttestation(
  payload: unknown,
  challenges: readonly string[],
  roots: readonly X509Certificate[] = [],
): Promise<CredentialCheck> {
  const { data, error } = attestationPayload.safeParse(payload)
  if (error !== undefined) return invalid(`malformed: ${pathOf(error)}`)
  if (data.rawId?.equals(data.id) === false) return invalid('id and rawId differ')
  const { clientDataJSON, attestationObject } = data.response
  const client = clientDataOf(clientDataJSON, 'webauthn.create', challenges)
  if (typeof client === 'string') return invalid(client)
  const [helpers, { extensionIn }] = await Promise.all([loadHelpers(), import('@causeway/pki')])
  const { decodeAttestationObject, decodeCredentialPublicKey, parseAuthenticatorData } = helpers
  try {
    const attestation = decodeAttestationObject(Uint8Array.from(attestationObject))
    const authData = attestation.get('authData')
    const authenticator = parseAuthenticatorData(authData)
    const { credentialID, credentialPublicKey: publicKey, aaguid, rpIdHash } = authenticator
    if (credentialID === undefined || publicKey === undefined || aaguid === undefined) {
      return invalid('there is no credential')
    }
    if (!data.id.equals(credentialID)) return invalid('the attestation is of another credential')
    const ceremony = ceremonyOf(client, authenticator)
    const attested = {
      statement: attestation.get('attStmt'),
      authData: Buffer.from(authData),
      clientDataHash: hash('sha256', clientDataJSON, 'buffer'),
      aaguid: Buffer.from(aaguid),
      rpIdHash: Buffer.from(rpIdHash),
      credentialId: data.id,
      // Without a statement the key has not signed anything yet: it is judged by itself.
      key: signingKeyOf(decodeCredentialPublicKey(publicKey)),
    }
    const fault = attestationFault(attestation.get('fmt'), attested, roots, extensionIn)
    if (fault !== undefined) return invalid(fault)
    return { type: 'VALID', verifier: verifierOf(data.id, publicKey, ceremony), ceremony }
  } catch (error_) {
    return invalid(messageOf(error_))
  }
}

/**
 * Checks FIDOPublicKeyCredentialAssertion with the stored credential. The caller, which stores the
 * counter, checks it.
 */
export async function checkAssertion(
  payload: unknown,
  challenges: readonly string[],
  verifier: FidoVerifier,
): Promise<SignatureCheck> {
  const { data, error } = assertionPayload.safeParse(payload)
  if (error !== undefined) return invalid(`malformed: ${pathOf(error)}`)
  if (base64url(data.id) !== verifier.credentialId) return invalid('another credential signed')
  const { clientDataJSON, authenticatorData, signature } = data.response
  const client = clientDataOf(clientDataJSON, 'webauthn.get', challenges)
  if (typeof client === 'string') return invalid(client)
  const { decodeCredentialPublicKey, parseAuthenticatorData } = await loadHelpers()
  try {
    const parsedData = parseAuthenticatorData(Uint8Array.from(authenticatorData))
    const ceremony = ceremonyOf(client, parsedData)
    const clientDataHash = hash('sha256', clientDataJSON, 'buffer')
    const publicKey = Uint8Array.from(Buffer.from(verifier.publicKey, 'base64url'))
    const { key, digest } = signingKeyOf(decodeCredentialPublicKey(publicKey))
    const signed = Buffer.concat([authenticatorData, clientDataHash])
    const isRight = verify(digest, signed, key, signature)
    if (!isRight) return invalid('the signature does not verify')
    const signedHash = hash('sha256', Buffer.from(client.challenge, 'base64'), 'base64url')
    return { type: 'VALID', ceremony, signedHash }
  } catch (error_) {
    return invalid(messageOf(error_))
  }
}

/** The client data, or the fault in it. */
function clientDataOf(
  json: Buffer,
  type: string,
  challenges: readonly string[],
): ClientData | string {
  const { data, error } = clientData.safeParse(parsed(json))
  if (error !== undefined) return `malformed client data: ${pathOf(error)}`
  if (data.type !== type) return `the client data is of ${data.type}`
  const challenge = base64url(Buffer.from(data.challenge, 'base64'))
  return challenges.includes(challenge) ? data : 'the challenge is different'
}

/** Throws if the user was not present. */
function ceremonyOf(
  { origin, crossOrigin = false }: ClientData,
  { rpIdHash, flags, counter }: ReturnType<Parse>,
): Ceremony {
  if (!flags.up) throw new Error('the user was not present')
  return {
    origin,
    isCrossOrigin: crossOrigin,
    rpIdHash: base64url(rpIdHash),
    isUserVerified: flags.uv,
    signCount: counter,
  }
}

function verifierOf(
  id: Buffer,
  publicKey: Uint8Array,
  { origin, rpIdHash, signCount }: Ceremony,
): FidoVerifier {
  return {
    type: 'FIDO',
    credentialId: base64url(id),
    publicKey: base64url(publicKey),
    rpIdHash,
    rpId: '',
    origin,
    signCount,
  }
}

function parsed(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString())
  } catch {
    return undefined
  }
}

function base64url(value: Uint8Array): string {
  return Buffer.from(value).toString('base64url')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'it cannot be read'
}

function pathOf({ issues }: z.ZodError): string {
  return issues[0]?.path.join('.') ?? ''
}
