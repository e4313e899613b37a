/** How the set-up of a test run hands its PostgreSQL to the tests and to the tear-down. */
import type { PostgresServer } from '../postgres/server.ts'

/** The environment of the test processes names the socket folder. */
export const socketFolderVariable = 'CAUSEWAY_TEST_SOCKET_FOLDER'

export interface KeptServer {
  readonly server: PostgresServer
  readonly dataDir: string
}

/** Set-up and tear-down are loaded apart from each other but share the global object. */
const keeper = globalThis as { causewayTestServer?: KeptServer }

export function keepServer(server: KeptServer): void {
  keeper.causewayTestServer = server
}

export function keptServer(): KeptServer | undefined {
  return keeper.causewayTestServer
}
