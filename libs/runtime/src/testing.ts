/** For integration tests: the parts of an embedded process on a fresh database, and a crash on demand. */
export { type TestParts, openTestParts } from './testing/test-parts.ts'
