/**
 * Starts one PostgreSQL, one Kafka and one Redis, each as a container, for a whole run of the
 * stories.
 */
import type { StartedTestContainer } from 'testcontainers'
import { openInfrastructure } from './containers.ts'
import { serveHubs } from './hubs.ts'
import { openHub } from './scheme.ts'

declare global {
  // The teardown is another module in the same process.
  var causewayContainers: readonly StartedTestContainer[] | undefined
}

export default async function containersSetup(): Promise<void> {
  globalThis.causewayContainers = Object.values(await openInfrastructure())
  process.env['CAUSEWAY_TEST_HOUSE'] = 'containers'
  await serveHubs(openHub)
}
