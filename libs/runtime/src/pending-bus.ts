import type { EventBus } from './bus/event-bus.ts'
import type { Outbox } from './postgres/database.ts'
import { asSuperuser, provisionSchema } from './postgres/provision.ts'

export async function pendingBus(
  socketFolder: string,
  database: string,
): Promise<EventBus & { outbox: Outbox; stop(): Promise<void> }> {
  await provisionSchema(socketFolder, database, 'bus')
  await asSuperuser(socketFolder, database, (client) =>
    client.query('create table if not exists bus.log (n bigint primary key)'),
  )
  const absent = () => Promise.reject(new Error('the bus is not there yet'))
  return {
    announce: (tx, messages) => void tx.announced.push(...messages),
    publish: absent,
    subscribe: absent,
    deadLetters: absent,
    replay: absent,
    outbox: {
      write: () =>
        Promise.resolve({
          committed: () => undefined,
          rolledBack: () => undefined,
          unknown: () => undefined,
        }),
    },
    stop: () => Promise.resolve(),
  }
}
