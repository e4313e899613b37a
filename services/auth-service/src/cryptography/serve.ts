/** Serves cryptography and key management over gRPC. */
import { isRefused, refusalMessage } from '@causeway/services'
import type { Handlers } from '@causeway/grpc'
import type { cryptographyService, keyManagementService } from '@causeway/protos'
import { timeMessage } from '../contract.ts'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import {
  adapterMessage,
  curveOf,
  definitionMessage,
  definitionRequestOf,
  faultOfData,
  faultOfText,
  hashAlgorithmOf,
  keyMessage,
  keyRequestOf,
  signatureAlgorithmOf,
  signedOf,
  translationOf,
} from './contract.ts'
import { defineKey } from './definitions.ts'
import type { GenerateHash } from './hash.ts'
import { generateAesKey, generateEccKey, loadKey } from './keys.ts'
import { allListeners, setListener } from './listeners.ts'
import { decrypt, encrypt, generateSignature, verifySignature } from './operations.ts'
import { generatePem, type PemParts } from './pem.ts'
import { tryTranslation, unlockTranslation, type PinAttemptParts } from './pin-attempts.ts'
import { audited, type UseRate } from './uses.ts'
import { newestDefinitions, newestKeys, type ManagedKey } from './store.ts'

const nothing = Buffer.alloc(0)
const noRefusal = { refusal: null }
const random_bytes_min = 16
const random_bytes_max = 64
const listed_max = 1_000

function refusal(refused: RefusedCommand) {
  return { refusal: refusalMessage(refused) }
}

export interface CryptographyParts extends PinAttemptParts {
  readonly generateHash: GenerateHash
  readonly rate: UseRate
}

export function serveCryptography(parts: CryptographyParts): Handlers<typeof cryptographyService> {
  return { ...signatures(parts), ...encryption(parts) }
}

type Cryptography = Handlers<typeof cryptographyService>

/** Of a caller that names no one. */
const unnamed = 'admin'

/** Within the rate of the caller. */
function asked<Result>(
  { rate }: CryptographyParts,
  actor: string,
  work: () => Promise<Result | RefusedCommand>,
): Promise<Result | RefusedCommand> {
  const fault = rate(actor, Date.now())
  return fault === undefined ? work() : Promise.resolve(fault)
}

function signatures(
  parts: CryptographyParts,
): Pick<Cryptography, 'GenerateHash' | 'GenerateSignature' | 'VerifySignature'> {
  return {
    async GenerateHash({ data, algorithm, salt = nothing }) {
      const read = faultOfData(data, salt) ?? hashAlgorithmOf(algorithm)
      if (isRefused(read)) return { hash: nothing, ...refusal(read) }
      const hashed = await parts.generateHash(read, data, salt)
      return isRefused(hashed) ? { hash: nothing, ...refusal(hashed) } : { ...hashed, ...noRefusal }
    },
    async GenerateSignature({ keyId, algorithm, actor = unnamed, ...message }) {
      const refused = (fault: RefusedCommand) => ({
        signature: nothing,
        algorithm: '',
        ...refusal(fault),
      })
      const wanted = algorithm === undefined ? undefined : signatureAlgorithmOf(algorithm)
      if (isRefused(wanted)) return refused(wanted)
      const signed = signedOf(message)
      if (isRefused(signed)) return refused(signed)
      const fault = 'data' in signed ? faultOfText(signed.data) : undefined
      const details = { of: 'data' in signed ? 'data' : 'digest' }
      const use = { action: 'GenerateSignature', keyId, actor, details } as const
      const made =
        fault ??
        (await asked(parts, actor, () =>
          audited(parts, use, () => generateSignature(parts, keyId, wanted, signed)),
        ))
      return isRefused(made) ? refused(made) : { ...made, ...noRefusal }
    },
    async VerifySignature({ algorithm, keyId, publicKey, signature, ...message }) {
      const refused = (fault: RefusedCommand) => ({ valid: false, ...refusal(fault) })
      const read = faultOfData(nothing, signature) ?? signatureAlgorithmOf(algorithm)
      if (isRefused(read)) return refused(read)
      const signed = signedOf(message)
      if (isRefused(signed)) return refused(signed)
      const question = { keyId, publicKey, algorithm: read, signed, signature }
      const valid = await verifySignature(parts, question)
      return isRefused(valid) ? refused(valid) : { valid, ...noRefusal }
    },
  }
}

function encryption(
  parts: CryptographyParts,
): Pick<Cryptography, 'Encrypt' | 'Decrypt' | 'TranslatePin' | 'GenerateRandomNumber'> {
  const noText = { ciphertext: nothing, iv: nothing, tag: nothing }
  return {
    async Encrypt({ keyId, plaintext, aad }) {
      const text = faultOfText(plaintext, aad) ?? (await encrypt(parts, keyId, plaintext, aad))
      return isRefused(text) ? { ...noText, ...refusal(text) } : { ...text, ...noRefusal }
    },
    async Decrypt({ keyId, aad, actor = unnamed, ...text }) {
      const use = { action: 'Decrypt', keyId, actor, details: {} } as const
      const plain =
        faultOfData(text.ciphertext, aad) ??
        (await asked(parts, actor, () =>
          audited(parts, use, () => decrypt(parts, keyId, text, aad)),
        ))
      return isRefused(plain)
        ? { plaintext: nothing, ...refusal(plain) }
        : { plaintext: plain, ...noRefusal }
    },
    async TranslatePin({ actor = unnamed, ...message }) {
      const wanted = translationOf(message)
      const block = isRefused(wanted)
        ? wanted
        : await asked(parts, actor, () => tryTranslation(parts, wanted, actor))
      return isRefused(block)
        ? { pinBlock: nothing, ...refusal(block) }
        : { pinBlock: block, ...noRefusal }
    },
    async GenerateRandomNumber({ byteLength }) {
      if (byteLength < random_bytes_min || byteLength > random_bytes_max) {
        const bounds = `byteLength must be from ${random_bytes_min} to ${random_bytes_max}`
        return { value: nothing, ...refusal(refuse('INVALID', bounds)) }
      }
      const provider = await parts.providers.active(parts.db)
      return isRefused(provider)
        ? { value: nothing, ...refusal(provider) }
        : { value: provider.random(byteLength), ...noRefusal }
    },
  }
}

type KeyManagement = Handlers<typeof keyManagementService>

export function serveKeyManagement(parts: PemParts): KeyManagement {
  return { ...keyMaking(parts), ...keyUse(parts) }
}

function keyMaking(
  parts: PemParts,
): Pick<
  KeyManagement,
  'DefineKey' | 'GenerateAesKey' | 'GenerateEccKey' | 'GeneratePem' | 'LoadKey'
> {
  const answer = (made: ManagedKey | RefusedCommand) =>
    isRefused(made) ? refusal(made) : { key: keyMessage(made) }
  return {
    async DefineKey(message) {
      const read = definitionRequestOf(message)
      const defined = isRefused(read) ? read : await defineKey(parts, read)
      return isRefused(defined) ? refusal(defined) : { definition: definitionMessage(defined) }
    },
    async GenerateAesKey({ bits, ...message }) {
      const request = keyRequestOf(message)
      return answer(isRefused(request) ? request : await generateAesKey(parts, request, bits))
    },
    async GenerateEccKey({ curve: text, ...message }) {
      const request = keyRequestOf(message)
      if (isRefused(request)) return refusal(request)
      const curve = curveOf(text)
      return answer(isRefused(curve) ? curve : await generateEccKey(parts, request, curve))
    },
    async GeneratePem({ commonName, organization, hosts, ...message }) {
      const request = keyRequestOf(message)
      if (isRefused(request)) return refusal(request)
      return answer(await generatePem(parts, { ...request, commonName, organization, hosts }))
    },
    async LoadKey({ wrappedKey, wrappingKeyId, ...message }) {
      const request = keyRequestOf(message)
      if (isRefused(request)) return refusal(request)
      return answer(await loadKey(parts, request, wrappedKey, wrappingKeyId))
    },
  }
}

function keyUse(
  parts: PemParts,
): Pick<
  KeyManagement,
  'ListKeys' | 'SetListenerCertificate' | 'GetListenerCertificates' | 'UnlockPinTranslation'
> {
  return {
    async UnlockPinTranslation({ keyId, actor }) {
      const refused = await unlockTranslation(parts, keyId, actor)
      return refused === undefined ? noRefusal : refusal(refused)
    },
    async ListKeys() {
      const [definitions, keys, adapter] = await Promise.all([
        newestDefinitions(parts.db, listed_max),
        newestKeys(parts.db, listed_max),
        parts.providers.state(parts.db),
      ])
      return {
        definitions: definitions.map(definitionMessage),
        keys: keys.map(keyMessage),
        adapter: adapterMessage(adapter),
      }
    },
    async SetListenerCertificate({ host, keyId, certificatePem: certificate, actor }) {
      const validTo = await setListener(parts, { host, keyId, certificate }, actor)
      return isRefused(validTo) ? refusal(validTo) : { validTo: timeMessage(validTo) }
    },
    async GetListenerCertificates() {
      const listeners = (await allListeners(parts)).map(({ host, certificate, privateKey }) => ({
        host,
        certificatePem: certificate,
        privateKeyPem: privateKey,
      }))
      return { listeners }
    },
  }
}
