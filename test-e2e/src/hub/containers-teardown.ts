/** Stops what the run has started. */
export default async function containersTeardown(): Promise<void> {
  await Promise.all((globalThis.causewayContainers ?? []).map((container) => container.stop()))
}
