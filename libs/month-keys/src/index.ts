export {
  messageEncryption,
  openBodies,
  plainBodies,
  type Bodies,
  type OpenedBodies,
} from './bodies.ts'
export { erasedBody, key_bytes, type Month } from './cipher.ts'
