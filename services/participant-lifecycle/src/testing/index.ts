/** For tests of the ledger, which this service hosts. */
export * from './audited.ts'
export * from './items.ts'
export * from './scheme.ts'
export * from './world.ts'
