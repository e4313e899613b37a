/** Ends the broker and the PostgreSQL of the run and leaves nothing of them behind. */
import { rmSync } from 'node:fs'
import { stopTestServer } from '@causeway/embedded-postgres/testing'
import { brokerFolderVariable, killBroker } from './kafka-broker.ts'

export default async function kafkaTeardown(): Promise<void> {
  const folder = process.env[brokerFolderVariable]
  if (folder !== undefined) {
    await killBroker(folder)
    rmSync(folder, { recursive: true, force: true })
  }
  await stopTestServer()
}
