/** Changes of funds and cover in a transaction of the host, for what two persons have agreed on. */
export { depositOf, withdrawalOf } from './funds/contract.ts'
export { coveredOr, fundsIn, protects } from './funds/handle.ts'
export { manageFunds } from './funds/serve.ts'
export { coverIn } from './liquidity/handle.ts'
export { switchCheckIn } from './settlement/rule-store.ts'
