/** Compares the event catalogue with the subscriptions of all services, started together. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventBus } from '@causeway/bus'
import { catalogue, type EventName } from '@causeway/events'
import { readSettings } from '@causeway/process'
import { openTestParts } from '@causeway/runtime/testing'
import { expect, test } from '@jest/globals'
import { startServices } from './hub.ts'
import { openSecrets } from './secrets.ts'
import { settings } from './settings.ts'

/** `auth_service.mails` is a consumer group of auth-service. */
function serviceOf(group: string): string {
  return (group.split('.')[0] ?? '').replaceAll('_', '-')
}

test('The consumers of each event are exactly the services that subscribe to it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-catalogue-'))
  const parts = await openTestParts()
  const opened: { stop(): Promise<void> | void }[] = []
  const subscribed = new Map<string, Set<string>>()
  const note = ({ group, types }: { group: string; types: ReadonlySet<string> }) => {
    for (const type of types) {
      subscribed.set(type, (subscribed.get(type) ?? new Set()).add(serviceOf(group)))
    }
  }
  const bus: EventBus = {
    ...parts.bus,
    subscribe(subscription) {
      note(subscription)
      return parts.bus.subscribe(subscription)
    },
    subscribeBroadcast(listening) {
      note(listening)
      return parts.bus.subscribeBroadcast(listening)
    },
  }
  try {
    const ports = { FSP_PORT: '0', OPERATOR_PORT: '0', METRICS_PORT: '0' }
    const { values } = readSettings(settings, {
      sources: [{ origin: 'flag', values: { DATA_DIR: folder, ...ports } }],
      prefixes: [],
    })
    const secrets = await openSecrets(values, { fresh: true })
    await startServices(
      secrets.settings,
      () => ({ ...parts, bus }),
      (part) => {
        opened.push(part)
        return part
      },
    )
    const declared = Object.fromEntries(
      Object.entries(catalogue).map(([name, { consumers }]) => [name, consumers.toSorted()]),
    )
    const done = Object.fromEntries(
      (Object.keys(catalogue) as EventName[]).map((name) => [
        name,
        [...(subscribed.get(name) ?? [])].toSorted(),
      ]),
    )
    expect(declared).toEqual(done)
  } finally {
    for (const part of opened.toReversed()) await part.stop()
    await parts.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}, 60_000)
