/** One FSP asks for parties that do not exist, as fast as its requests are answered. */
import type { HubLink } from './connections.ts'
import { floodWidth } from './disturbances.ts'
import type { Message } from './payments.ts'

export interface Flood {
  stop(): void
}

export function beginFlood(link: HubLink, fsp: number): Flood {
  let isOver = false
  const ask: Message = {
    from: fsp,
    to: 0,
    method: 'GET',
    resource: 'parties',
    path: '/parties/MSISDN/90000000001',
    body: undefined,
    signature: undefined,
  }
  const askOn = async () => {
    while (!isOver) await link.send(ask)
  }
  for (let at = 0; at < floodWidth; at += 1) askOn().catch(() => undefined)
  return {
    stop() {
      isOver = true
    },
  }
}
