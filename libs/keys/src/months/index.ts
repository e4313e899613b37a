export { messageEncryption, openBodies, plainBodies, type Bodies } from './bodies.ts'
export { erasedBody, thumbprintOf } from './cipher.ts'
