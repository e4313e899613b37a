/** Changes that two persons make: what a maker's and a checker's call ask for. */

/**
 * The privilege that a call of the lifecycle interface needs: ManageFunds CREATE_MANAGE_FUNDS,
 * ApproveManageFunds APPROVE_MANAGE_FUNDS, and REJECT_MANAGE_FUNDS where it rejects.
 */
export function privilegeOfCall(call: string, decision: 'APPROVE' | 'REJECT' = 'APPROVE'): string {
  const change = call.replace(/^(Approve|Create)/, '')
  const words = change.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
  return `${call.startsWith('Approve') ? decision : 'CREATE'}_${words}`
}
