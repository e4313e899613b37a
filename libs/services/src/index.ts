export { callersOf } from './callers.ts'
export {
  callsOf,
  descriptionOf,
  hasDatabase,
  serviceNames,
  settingPrefix,
  type Description,
  type ServiceName,
} from './descriptions.ts'
export { groupNames, servicesOf } from './groups.ts'
export { operatorCaller, proofNeedOf } from './proofs.ts'
export { schemeRuleBounds, schemeRuleOf } from './scheme-rules.ts'
export { approvalKinds, isApprovalKind } from './approvals.ts'
export {
  active,
  closed,
  inactive,
  permittedIn,
  readStates,
  statesFault,
  type Permission,
  type States,
} from './participant-states.ts'
export {
  isRefused,
  refusalMessage,
  refuse,
  unknownParticipant,
  type RefusalReason,
  type Refused,
  type RefusedBy,
} from './refusals.ts'
