export {
  type Ca,
  type Certified,
  certifyServer,
  faultOfCa,
  issueClientCertificate,
  issueServerCertificate,
  makeCa,
  signCsr,
} from './ca.ts'
export { extensionIn, type Validity } from './certificate.ts'
export { readCrls, type RevocationList } from './crl.ts'
export { makeCsr, makeCsrOf, readCsr, type SigningRequest } from './csr.ts'
export { readSubject, type Subject } from './subject.ts'
export type { HostNames } from './host-names.ts'
