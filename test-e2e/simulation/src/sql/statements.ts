/**
 * The statements that the one session has prepared. Connections with the same search path share them, so
 * that a process that starts again finds them prepared, and the session holds each once.
 */
import type { Connection } from './connection.ts'
import { hasFailed, renamed } from './protocol.ts'

export class Statements {
  /** The names in the session, by search path and text. */
  readonly #names = new Map<string, string>()
  /** The session has prepared these. */
  readonly #prepared = new Set<string>()
  /** The names in the session by those of each connection. */
  readonly #ofConnections = new WeakMap<Connection, Map<string, string>>()

  /** Executes the trip with the names of the session. */
  async run(
    connection: Connection,
    trip: Buffer,
    execute: (trip: Buffer) => Promise<Buffer>,
  ): Promise<Buffer> {
    const own = this.#ofConnections.get(connection) ?? new Map<string, string>()
    this.#ofConnections.set(connection, own)
    const used = new Set<string>()
    const bytes = renamed(trip, {
      prepare: (name, text) => {
        const shared = this.#nameOf(connection.searchPath, text)
        own.set(name, shared)
        const isThere = this.#prepared.has(shared) || used.has(shared)
        used.add(shared)
        return { name: shared, isThere }
      },
      nameOf: (name) => {
        const shared = own.get(name) ?? name
        used.add(shared)
        return shared
      },
    })
    const answer = await execute(bytes)
    // What has failed may be missing, or outdated.
    const isRight = !hasFailed(answer)
    for (const name of used) {
      if (isRight) this.#prepared.add(name)
      else this.#prepared.delete(name)
    }
    return answer
  }

  #nameOf(searchPath: string, text: string): string {
    const key = `${searchPath}\0${text}`
    const name = this.#names.get(key) ?? `s${this.#names.size}`
    this.#names.set(key, name)
    return name
  }
}
