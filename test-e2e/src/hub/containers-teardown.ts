/** Stops what the setup has started. */
import { stopHubs } from './hubs.ts'

export default async function containersTeardown(): Promise<void> {
  try {
    await stopHubs()
  } finally {
    await Promise.all((globalThis.causewayContainers ?? []).map((container) => container.stop()))
  }
}
