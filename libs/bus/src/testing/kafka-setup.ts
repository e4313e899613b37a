/** One PostgreSQL and one Kafka broker for a whole run of the tests on Kafka, each in a folder of its own. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestServer } from '@causeway/embedded-postgres/testing'
import {
  brokerFolderVariable,
  brokerPortVariable,
  freePorts,
  killBroker,
  startBroker,
  writeCertificates,
} from './kafka-broker.ts'

export default async function kafkaSetup(): Promise<void> {
  await removeRunsThatWereKilled()
  const folder = mkdtempSync(join(tmpdir(), `causeway-kafka-${process.pid}-`))
  const port = await freePorts()
  writeCertificates(folder)
  await Promise.all([startTestServer(), startBroker(port, folder)])
  process.env[brokerPortVariable] = String(port)
  process.env[brokerFolderVariable] = folder
}

/** A run that was killed could not end its broker. */
async function removeRunsThatWereKilled(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const run = /^causeway-kafka-(\d+)-/.exec(name)?.[1]
    if (run === undefined || isAlive(Number(run))) continue
    const folder = join(tmpdir(), name)
    await killBroker(folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as { readonly code?: unknown }).code === 'EPERM'
  }
}
