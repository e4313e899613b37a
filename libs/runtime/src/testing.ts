/** For integration tests: the parts of an embedded process on a fresh database, and a crash on demand. */
export { aloneInMemory, nothingShared } from './memory/shared-memory.ts'
export { type TestParts, openTestParts } from './testing/test-parts.ts'
export { serveApprovals } from './approval-owners.ts'
