/** Stops the PostgreSQL of the run and leaves nothing of it behind. */
import { removeRunFolder } from './run-folder.ts'
import { keptServer } from './run-server.ts'

export async function stopTestServer(): Promise<void> {
  await keptServer()?.stop()
  removeRunFolder()
}

export default stopTestServer
