export { makeCrl, type CrlContent } from './testing/crl.ts'
