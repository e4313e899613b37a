export {
  type Ca,
  type Certified,
  faultOfCa,
  issueClientCertificate,
  issueServerCertificate,
  makeCa,
  signCsr,
} from './ca.ts'
export type { Validity } from './certificate.ts'
export { makeCsr, readCsr, type SigningRequest } from './csr.ts'
export { readSubject, type Subject } from './subject.ts'
export type { HostNames } from './host-names.ts'
