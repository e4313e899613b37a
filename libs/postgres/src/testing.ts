/** For integration tests: databases of their own on the PostgreSQL of the run. */
export { migrationFiles } from './testing/migration-files.ts'
export {
  type TestDatabase,
  type TestDatabases,
  createTestDatabase,
  openTestDatabases,
  openTestLog,
} from './testing/test-databases.ts'
export { socketFolderVariable, temporaryFolder, testSocketFolder } from './testing/test-server.ts'
