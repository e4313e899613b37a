/**
 * For which calls of the administration API the operator must be proven: for each method that changes
 * something, and each that uses a secret key, unless it is named here with the reason.
 */
import { grpcServices } from '@causeway/protos'
import { callersOf, type MethodOf } from './callers.ts'
import type { ServiceName } from './descriptions.ts'

type GrpcServices = typeof grpcServices

type Methods<Value> = {
  readonly [Service in keyof GrpcServices]?: {
    readonly [Method in MethodOf<GrpcServices[Service]>]?: Value
  }
}

/** The service that calls in the name of operators. */
export const operatorCaller: ServiceName = 'admin'

/** Methods that change nothing, and use a secret key. */
const usesSecret: Methods<true> = {
  cryptographyService: {
    GenerateSignature: true,
    Encrypt: true,
    Decrypt: true,
    TranslatePin: true,
  },
}

/** Why no operator is proven. */
const unproven: Methods<string> = {
  operatorsService: {
    LogIn: 'the operator has no token yet',
    RefreshSession: 'the refresh token proves it',
    LogOut: 'the token is the request',
    RegisterPrivileges: 'admin registers its own',
  },
  logInsService: {
    BeginOidc: 'the operator has no token yet',
    EndOidc: 'the operator has no token yet',
    CreateNonce: 'the operator has no token yet',
    LogInWithCertificate: 'the operator has no token yet',
    BeginKeyLogIn: 'the operator has no token yet',
    AuthorizeWithKey: 'the signature of the key proves it',
  },
  secretsService: { ReadSecretValues: 'the signature of the component proves it' },
}

/** Methods that a service also calls for itself, and names no operator then. */
const ownToo: Methods<true> = { componentKeysService: { RegisterComponentKey: true } }

export type ProofNeed = 'ALWAYS' | 'WHERE_NAMED' | 'NEVER'

type Definition = Readonly<
  Record<
    string,
    { readonly path: string; readonly options?: { readonly idempotency_level: string } }
  >
>

const needs = new Map<string, ProofNeed>(
  Object.entries(grpcServices).flatMap(([service, definition]) =>
    Object.entries(definition as Definition).map(([method, { path, options }]) => {
      const isIn = (methods: Methods<unknown>) =>
        Object.hasOwn(methods[service as keyof GrpcServices] ?? {}, method)
      const isQuestion = options?.idempotency_level === 'NO_SIDE_EFFECTS'
      const isFree = (isQuestion && !isIn(usesSecret)) || isIn(unproven)
      if (isFree || !callersOf(path).includes(operatorCaller)) return [path, 'NEVER']
      return [path, isIn(ownToo) ? 'WHERE_NAMED' : 'ALWAYS']
    }),
  ),
)

/**
 * When a call of the administration API must prove its operator; an unknown method always.
 * @param path `/causeway.transfers.v1.Transfers/GetTransferStates`
 */
export function proofNeedOf(path: string): ProofNeed {
  return needs.get(path) ?? 'ALWAYS'
}
