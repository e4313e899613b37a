/** A gRPC call that was not answered, or was answered with a failure, says which call it was. */
import { status, type ServiceError } from '@grpc/grpc-js'

/**
 * A call to another service failed. UNAVAILABLE and DEADLINE_EXCEEDED are outages: the call may or
 * may not have had its effect and is repeated with the same ids. Any other code is a bug of one of
 * the two sides.
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
    const code = unavailable.has(cause.code) ? status.UNAVAILABLE : cause.code
    super(`${provider}${path}: ${status[cause.code]}: ${cause.details}`, { cause })
    this.code = code
    this.provider = provider
    this.path = path
  }
}

/**
 * UNIMPLEMENTED: the provider is still starting, or an older release. CANCELLED: one of the two sides
 * is being stopped, since no call is ever cancelled otherwise.
 */
const unavailable: ReadonlySet<status> = new Set([status.UNIMPLEMENTED, status.CANCELLED])
