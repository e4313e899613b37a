/**
 * The gRPC contracts between the services, one .proto file per serving context. The TypeScript
 * types are generated from those files by the build and cannot drift from them.
 */
export * from './generated/definitions.ts'
export * as grpcServices from './generated/definitions.ts'
export * from './generated/messages.ts'
export { present } from './present.ts'
