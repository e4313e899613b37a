/** How the set-up of a test run hands its PostgreSQL to the tests and to the tear-down. */
import { mkdtempSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PostgresServer } from '../postgres/server.ts'

/** The environment of the test processes names the socket folder. */
export const socketFolderVariable = 'CAUSEWAY_TEST_SOCKET_FOLDER'

/** Set-up and tear-down are loaded apart from each other but share the global object. */
const keeper = globalThis as { causewayTestServer?: PostgresServer }

export function keepServer(server: PostgresServer): void {
  keeper.causewayTestServer = server
}

export function keptServer(): PostgresServer | undefined {
  return keeper.causewayTestServer
}

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
