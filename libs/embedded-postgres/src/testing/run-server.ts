/** How the set-up of a test run hands its PostgreSQL to the tear-down. */
import type { PostgresServer } from '../server.ts'

/** Set-up and tear-down are loaded apart from each other but share the global object. */
const keeper = globalThis as { causewayTestServer?: PostgresServer }

export function keepServer(server: PostgresServer): void {
  keeper.causewayTestServer = server
}

export function keptServer(): PostgresServer | undefined {
  return keeper.causewayTestServer
}
