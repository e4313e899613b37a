export {
  componentKeyFile,
  keyIdOf,
  publicComponentKey,
  verifyComponentSignature,
  type ComponentKey,
} from './component-key.ts'
export { openKnownKeys, type KnownKey, type KnownKeys } from './known-keys.ts'
export { openOwnKey, readOwnKey, type OwnKey } from './own-key.ts'
export { signedEntries } from './signed-entries.ts'
export { openRequestKeys, type RequestKey, type RequestKeys } from './request-key.ts'
export { authenticatedEvents, isAuthentic, requestMac, type PaymentRequest } from './request-mac.ts'
export { operatorCheck } from './operator-check.ts'
export {
  readSignature,
  signRequest,
  type ReadSignature,
  type RequestToSign,
  type SignedHeaders,
} from './signed-request.ts'
