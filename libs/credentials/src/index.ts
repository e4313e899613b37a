export { checkAssertion, checkAttestation, credentialIdIn, presentedIn } from './fido.ts'
export { checkGenericRegistration, checkGenericSignature } from './generic.ts'
export {
  type Allowed,
  type RelyingParty,
  type RelyingPartyPolicy,
  allowedFor,
  countFault,
  isOriginOf,
  isRelyingPartyId,
  originFault,
  relyingPartyOf,
} from './relying-party.ts'
export type {
  Ceremony,
  CredentialCheck,
  FidoVerifier,
  GenericVerifier,
  SignatureCheck,
  Verifier,
} from './verifier.ts'
