/**
 * One bad message stops nobody, and an outage is never taken for a bad message: work that fails by an
 * outage is repeated for ever, a batch that fails otherwise is halved until the failing message
 * stands alone, and that one is given up after three tries. The order of a key is kept throughout.
 */
import type { Logger } from '../log.ts'
import type { Message } from './event-bus.ts'
import { delayAfter, type pause } from './pause.ts'

/** What a batch needs on its way; `Item` is the engine's own record of a message. */
export interface Work<Item> {
  readonly log: Logger
  /** Makes the message; a throw means that it cannot be read. */
  readonly open: (item: Item) => Message
  readonly handleBatch: (messages: readonly Message[], items: readonly Item[]) => Promise<void>
  readonly isOutage: (error: unknown) => boolean
  /** Stores the message with its reason and raises the alarm; repeated until it succeeds. */
  readonly deadLetter: (item: Item, reason: string) => Promise<void>
  readonly onFinished: (items: readonly Item[]) => void
  /** Aborted when no further try shall be made. */
  readonly stopping: AbortSignal
  readonly pause: typeof pause
}

const tries_max = 3
const reason_length_max = 1_000

/** Items with the messages made of them, one to one. */
interface Opened<Item> {
  readonly items: readonly Item[]
  readonly messages: readonly Message[]
}

/** Works on a batch until each item is finished or given up, or until stopping; never rejects. */
export async function workOff<Item>(items: readonly Item[], work: Work<Item>): Promise<void> {
  const opened = await openAll(items, work)
  if (opened.messages.length > 0) await tryBatch(opened, work)
}

async function openAll<Item>(items: readonly Item[], work: Work<Item>): Promise<Opened<Item>> {
  const readable: Item[] = []
  const messages: Message[] = []
  for (const item of items) {
    try {
      messages.push(work.open(item))
      readable.push(item)
    } catch (error) {
      await giveUp(item, `cannot be read: ${reasonOf(error)}`, work)
    }
  }
  return { items: readable, messages }
}

/** Whether all of it is finished; if not, nothing after it may be begun. */
async function tryBatch<Item>(batch: Opened<Item>, work: Work<Item>): Promise<boolean> {
  const isStopping = () => work.stopping.aborted
  let tries = 0
  for (let outages = 0; ;) {
    const failure = await attempt(batch, work)
    if (failure === undefined) {
      work.onFinished(batch.items)
      return true
    }
    if (isStopping()) return false
    const { error } = failure
    if (work.isOutage(error)) {
      outages++
      work.log.warn({ err: error, outages, messages: batch.items.length }, 'outage: tried again')
      await work.pause(delayAfter(outages), work.stopping)
    } else if (batch.items.length > 1) {
      work.log.warn({ err: error, messages: batch.items.length }, 'batch failed: halved')
      return tryHalves(batch, work)
    } else if (++tries === tries_max) {
      return giveUp(batch.items[0] as Item, reasonOf(error), work)
    } else {
      work.log.warn({ err: error, tries }, 'message failed: tried again')
      await work.pause(delayAfter(tries), work.stopping)
    }
    if (isStopping()) return false
  }
}

/** The second half waits for the first: a key may be in both. */
async function tryHalves<Item>(batch: Opened<Item>, work: Work<Item>): Promise<boolean> {
  const middle = batch.items.length >> 1
  return (
    (await tryBatch(part(batch, 0, middle), work)) &&
    (await tryBatch(part(batch, middle, batch.items.length), work))
  )
}

function part<Item>({ items, messages }: Opened<Item>, from: number, to: number): Opened<Item> {
  return { items: items.slice(from, to), messages: messages.slice(from, to) }
}

async function attempt<Item>(
  { items, messages }: Opened<Item>,
  work: Work<Item>,
): Promise<{ readonly error: unknown } | undefined> {
  try {
    await work.handleBatch(messages, items)
    return undefined
  } catch (error) {
    return { error }
  }
}

/** A message that cannot be stored as dead yet is not finished: losing it is never the way out. */
async function giveUp<Item>(item: Item, reason: string, work: Work<Item>): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    if (work.stopping.aborted) return false
    try {
      await work.deadLetter(item, reason)
      work.onFinished([item])
      return true
    } catch (error) {
      work.log.error({ err: error, tries }, 'dead letter not stored: tried again')
      await work.pause(delayAfter(tries), work.stopping)
    }
  }
}

/** What a dead letter says of why it is one. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return text.slice(0, reason_length_max)
}
