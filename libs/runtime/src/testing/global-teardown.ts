/** Stops the PostgreSQL of the run and leaves nothing of it behind. */
import { rmSync } from 'node:fs'
import { keptServer } from './test-server.ts'

export default async function globalTeardown(): Promise<void> {
  const kept = keptServer()
  if (kept === undefined) return
  await kept.server.stop()
  rmSync(kept.dataDir, { recursive: true, force: true })
}
