export {
  openApprovals,
  type ApprovalDecision,
  type ApprovalOutcome,
  type ApprovalParts,
  type Approvals,
  type Persons,
  type PersonsQuestion,
} from './approvals.ts'
export type { Applied, ChangeKind, Making, Sealing } from './kind.ts'
export { approvalHandlers, approvalMessage, personsOf, stateMessages } from './serve.ts'
export { requestById, type StoredRequest } from './store.ts'
export type { ApprovalState } from './judge.ts'
