/** The error of a gRPC call that failed or was not answered; it names the call. */
import { Outage, type OutageKind } from '@causeway/process'
import { status, type ServiceError } from '@grpc/grpc-js'

/**
 * A call to another service failed. If its cause is an outage, the call may or may not have had its
 * effect and is repeated with the same ids. Anything else is a bug of the caller or the provider.
 */
export class GrpcCallError extends Error {
  override readonly name = 'GrpcCallError'
  /** A gRPC status code. */
  readonly code: status
  /** The folder name of the service that was called. */
  readonly provider: string
  /** `/causeway.transfers.v1.Transfers/GetTransferStates` */
  readonly path: string

  constructor(provider: string, path: string, cause: ServiceError) {
    const kind = outageKinds.get(cause.code)
    const code = kind === 'AWAY' && cause.code !== late ? status.UNAVAILABLE : cause.code
    super(`${provider}${path}: ${status[cause.code]}: ${cause.details}`, {
      cause: kind === undefined ? cause : new Outage(cause.details, { cause, kind }),
    })
    this.code = code
    this.provider = provider
    this.path = path
  }
}

const late = status.DEADLINE_EXCEEDED

/**
 * UNIMPLEMENTED: the provider is still starting, or of another release. CANCELLED: the caller or the
 * provider is being stopped, since calls are not cancelled otherwise. PERMISSION_DENIED is caused by the
 * configuration, not by the messages in work.
 */
const outageKinds: ReadonlyMap<status, OutageKind> = new Map([
  [status.UNAVAILABLE, 'AWAY'],
  [late, 'AWAY'],
  [status.UNIMPLEMENTED, 'AWAY'],
  [status.CANCELLED, 'AWAY'],
  [status.UNAUTHENTICATED, 'REFUSED'],
  [status.PERMISSION_DENIED, 'REFUSED'],
  [status.RESOURCE_EXHAUSTED, 'TOO_LARGE'],
])
