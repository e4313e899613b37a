/** The process of the FSP that floods the hub (flood.ts). */
import { openHubLink, type HubLink } from './connections.ts'
import type { FloodCommand, FloodReport } from './flood.ts'
import type { Message } from './payments.ts'

/** Requests in flight at the same time. */
const width = 64

let link: HubLink | undefined
let question: Message | undefined
/** Each flood has its own; the requests of the one before end by themselves. */
let flood = {}
let isFlooding = false
let accepted = 0
let refused = 0

async function askContinuously(): Promise<void> {
  const own = flood
  while (isFlooding && own === flood && link !== undefined && question !== undefined) {
    if ((await link.send(question)) === 'TAKEN') accepted += 1
    else refused += 1
  }
}

async function obey(command: FloodCommand): Promise<FloodReport> {
  switch (command.type) {
    case 'OPEN':
      question = {
        from: command.fsp,
        to: 0,
        method: 'GET',
        resource: 'parties',
        path: '/parties/MSISDN/90000000001',
        body: undefined,
        signature: undefined,
      }
      link = openHubLink(command.link)
      await link.warm(command.fsp)
      return { type: 'OPENED' }
    case 'BEGIN':
      flood = {}
      isFlooding = true
      for (let at = 0; at < width; at += 1) askContinuously().catch(fail)
      return { type: 'BEGUN' }
    case 'PAUSE':
      isFlooding = false
      return { type: 'PAUSED', accepted, refused }
  }
}

function fail(error: unknown): void {
  process.send?.({ type: 'BROKEN', why: String(error) } satisfies FloodReport)
}

process.on('message', (command: FloodCommand) => {
  obey(command).then((report) => process.send?.(report), fail)
})
process.on('disconnect', () => process.exit(0))
