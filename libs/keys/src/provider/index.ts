export { digestLengthOf } from './digest.ts'
export { openHsm } from './open.ts'
export { openNodeProvider } from './node-provider.ts'
export { openPkcs11Provider } from './pkcs11/provider.ts'
export type { Token } from './pkcs11/token.ts'
export {
  adapters,
  curves,
  isKeyLength,
  type Adapter,
  type CryptoProvider,
  type Curve,
  type Encrypted,
  type KeyUsage,
  type PrivateKey,
  type Secret,
  type SecretType,
} from './provider.ts'
export { openSeal, type Seal } from './seal.ts'
export { cryptoSettings, noHsm, type CryptoSettings } from './settings.ts'
export {
  algorithmOf,
  isSignature,
  isSignatureOfDigest,
  signatureAlgorithms,
  type SignatureAlgorithm,
} from './signature.ts'
export { openSigningKey, type SigningKey } from './signing-key.ts'
