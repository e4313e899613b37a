export { makeCrl, type CrlContent } from './testing/crl.ts'
export {
  keyAtInfinity,
  keylessKeys,
  smallOrderEncodings,
  type KeylessKey,
} from './testing/keyless.ts'
