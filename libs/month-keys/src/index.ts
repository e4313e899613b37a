export { messageEncryption, openBodies, plainBodies, type Bodies } from './bodies.ts'
export { erasedBody } from './cipher.ts'
