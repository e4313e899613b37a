/**
 * Serves the changes that two persons make, in every process: one server for all its services, each of
 * which adds its own.
 */
import type { GrpcHost, Handlers } from '@causeway/grpc'
import { approvalsService } from '@causeway/protos'

type ApprovalHandlers = Handlers<typeof approvalsService>

export interface ApprovalOwners {
  /** @param service its folder name, which the messages name */
  add(service: string, handlers: ApprovalHandlers): void
}

export function serveApprovals(grpc: Pick<GrpcHost, 'serve'>): ApprovalOwners {
  const owners = new Map<string, ApprovalHandlers>()
  function ownerOf(service: string): ApprovalHandlers {
    const owner = owners.get(service)
    if (owner === undefined) throw new Error(`${service} has no changes for approval here`)
    return owner
  }
  grpc.serve(approvalsService, {
    RequestApproval: (message, call) => ownerOf(message.service).RequestApproval(message, call),
    DecideApproval: (message, call) => ownerOf(message.service).DecideApproval(message, call),
    ListApprovals: (message, call) => ownerOf(message.service).ListApprovals(message, call),
  })
  return { add: (service, handlers) => void owners.set(service, handlers) }
}
