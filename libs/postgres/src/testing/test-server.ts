/** Where the PostgreSQL of a test run listens. */
import { mkdtempSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The environment of the test processes names the socket folder. */
export const socketFolderVariable = 'CAUSEWAY_TEST_SOCKET_FOLDER'

/** The socket folder of the run's PostgreSQL. */
export function testSocketFolder(): string {
  const socketFolder = process.env[socketFolderVariable]
  if (socketFolder !== undefined) return socketFolder
  throw new Error('Integration tests are run by jest in its project int, which starts PostgreSQL')
}

/** A new folder that is removed at the end of the run. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(dirname(testSocketFolder()), `${name}-`))
}
