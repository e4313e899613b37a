export { agree, type Agreement, type AgreementTerms } from './agreement.ts'
export { createFsp, type Fsp, type FspOptions } from './fsp.ts'
export type {
  IncomingTransfer,
  PayeeDecision,
  PayeeOutcome,
  TransferOrder,
  TransferResult,
} from './outcome.ts'
