/** The PostgreSQL of a test run. */
export { startTestServer } from './testing/global-setup.ts'
export { stopTestServer } from './testing/global-teardown.ts'
export { openRunFolder, removeRunFolder } from './testing/run-folder.ts'
