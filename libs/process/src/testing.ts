/** For tests: certificates, child processes, waiting for a condition instead of for time. */
export { type TestCa, type TestCertificate, makeTestCa } from './testing/certificates.ts'
export { type Child, startChild } from './testing/child.ts'
export { defaultsOf } from './testing/defaults.ts'
export { eventually } from './testing/eventually.ts'
