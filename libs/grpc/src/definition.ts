/**
 * The types of handlers and calls, derived from the service definitions that are generated from the
 * .proto files: code does not compile until both sides have followed a change of the contract.
 */

/** Excludes the index signature of every generated definition, which is not a method. */
type MethodName<D> = keyof {
  readonly [
    Name in keyof D as string extends Name ? never : number extends Name ? never : Name
  ]: unknown
}

type RequestOf<Method> = Method extends { requestDeserialize: (bytes: Buffer) => infer Request }
  ? Request
  : never

type ResponseOf<Method> = Method extends { responseDeserialize: (bytes: Buffer) => infer Response }
  ? Response
  : never

/** The call of a request. */
export interface HandledCall {
  /**
   * Aborts, as an outage, when the caller is gone or its deadline has passed: no caller receives the
   * response.
   */
  readonly signal: AbortSignal
  /**
   * How long the caller still waits, and so how long calls to other services may take. At least 0.
   */
  readonly left_ms: () => number
  /** The `traceparent` of each span of its caller that it is part of; mostly empty. */
  readonly traces?: readonly string[]
  /** The services of the calling process; undefined where no certificates are used. */
  readonly callers: readonly string[] | undefined
}

/**
 * The handlers of a service, one for each method of its definition. Requests and responses are the
 * generated `…__Output` types with all fields required, so that a forgotten field does not compile; an
 * absent nested message is null.
 */
export type Handlers<D> = {
  readonly [Name in MethodName<D>]: (
    request: RequestOf<D[Name]>,
    call: HandledCall,
  ) => Promise<ResponseOf<D[Name]>>
}

/** A handler of any method. */
export type UnaryHandler = (request: object, call: HandledCall) => Promise<object>

export interface CallOptions {
  /** How long the response may take, waiting for the connection included. */
  readonly deadline_ms?: number
  /** The `traceparent` of each span that the call is part of. */
  readonly traces?: readonly string[]
}

/** The methods of a definition as functions; they reject with `GrpcCallError`. */
export type Calls<D> = {
  readonly [Name in MethodName<D>]: (
    request: RequestOf<D[Name]>,
    options?: CallOptions,
  ) => Promise<ResponseOf<D[Name]>>
}

/** A call of any method. */
export type OutgoingCall = (request: object, options?: CallOptions) => Promise<object>

/** One method of a definition, as the library reads it. */
export interface MethodDefinition {
  /** `/causeway.transfers.v1.Transfers/GetTransferStates` */
  readonly path: string
  readonly requestSerialize: (value: object) => Buffer
  readonly requestDeserialize: (bytes: Buffer) => object
  readonly responseSerialize: (value: object) => Buffer
  readonly responseDeserialize: (bytes: Buffer) => object
  readonly requestType: MessageDefinition
  readonly options?: { readonly idempotency_level: string }
}

interface MessageDefinition {
  readonly fileDescriptorProtos: Buffer[]
}

/** The methods of a service definition by name. */
export function methodsOf(service: object): ReadonlyMap<string, MethodDefinition> {
  return new Map(Object.entries(service) as readonly (readonly [string, MethodDefinition])[])
}

/** The method changes nothing, so it may be repeated: `option idempotency_level` declares it. */
export function isQuestion({ options }: Pick<MethodDefinition, 'options'>): boolean {
  return options?.idempotency_level === 'NO_SIDE_EFFECTS'
}

/** The full name of a service: `causeway.transfers.v1.Transfers`. */
export function nameOf(service: object): string {
  const [method] = methodsOf(service).values()
  const name = method?.path.split('/')[1]
  if (name === undefined)
    throw new Error('a gRPC service without methods cannot be served or called')
  return name
}
