/**
 * One bad message stops no other, and neither an outage nor a fault of the system counts as a bad
 * message. Work that fails by an outage is repeated for ever. A batch that fails otherwise is
 * halved until the failing message is alone, and that one becomes a dead letter after three tries,
 * unless not a single message of the batch succeeds and all fail alike: then the messages are not
 * the cause, and all of them are repeated with an alarm. The order of each key is preserved
 * throughout.
 */
import { type Logger, needsOperator, outageIn } from '@causeway/process'
import type { Alarm } from './alarms.ts'
import type { Message } from './event-bus.ts'
import { isFromNewerRelease } from './from-newer-release.ts'
import { delayAfter, type pause } from './pause.ts'

/** How a batch is processed; `Item` is the engine's own record of a message. */
export interface Work<Item> {
  readonly log: Logger
  readonly alarm: Alarm
  /** Reads the message; a throw means that it cannot be read. */
  readonly open: (item: Item) => Message
  readonly handleBatch: (messages: readonly Message[], items: readonly Item[]) => Promise<void>
  /** Stores the message with its reason and raises the alarm; repeated until it succeeds. */
  readonly deadLetter: (item: Item, reason: string) => Promise<void>
  readonly onFinished: (items: readonly Item[]) => void
  /** This release does not understand the message; called at each of its endless attempts. */
  readonly onHeld: (item: Item, error: unknown) => void
  /** Aborted when no further attempt is to be made. */
  readonly stopping: AbortSignal
  readonly pause: typeof pause
}

const tries_max = 3
const reason_length_max = 1_000
/** Fewer messages that fail alike may themselves be the cause. */
const alike_min = 4

/** Items with their messages, one to one. */
interface OpenedItems<Item> {
  readonly items: readonly Item[]
  readonly messages: readonly Message[]
}

interface Suspect<Item> {
  readonly item: Item
  readonly message: Message
  readonly error: unknown
}

/** One pass through a batch. */
interface Round<Item> {
  readonly size: number
  hasSucceeded: boolean
  /** Messages that have failed alone, while it is not decided yet whether they are the cause. */
  readonly suspects: Suspect<Item>[]
  /** Messages that wait behind a suspect of their key. */
  readonly waiting: Set<Item>
}

/**
 * Processes a batch until each item is finished or a dead letter, or until stopping; never rejects.
 */
export async function workOff<Item>(items: readonly Item[], work: Work<Item>): Promise<void> {
  let rest = items
  for (let tries = 1; ; tries++) {
    const { opened, held, error } = await openAll(rest, work)
    if (opened.items.length > 0 && !(await workThrough(opened, work))) return
    const [first] = held
    if (first === undefined) return
    hold(first, error, tries, work)
    await work.pause(delayAfter(tries), work.stopping)
    if (work.stopping.aborted) return
    rest = held
  }
}

interface OpeningResult<Item> {
  readonly opened: OpenedItems<Item>
  /** The messages from the first one on that this release does not understand. */
  readonly held: readonly Item[]
  readonly error?: unknown
}

async function openAll<Item>(all: readonly Item[], work: Work<Item>): Promise<OpeningResult<Item>> {
  const items: Item[] = []
  const messages: Message[] = []
  const opened = { items, messages }
  for (const [at, item] of all.entries()) {
    try {
      messages.push(work.open(item))
      items.push(item)
    } catch (error) {
      if (isFromNewerRelease(error)) return { opened, held: all.slice(at), error }
      await giveUp(item, `cannot be read: ${reasonOf(error)}`, work)
    }
  }
  return { opened, held: [] }
}

/** Whether all of it is finished; if not, nothing after it may be started. */
async function workThrough<Item>(batch: OpenedItems<Item>, work: Work<Item>): Promise<boolean> {
  let rest = batch
  let failures = 0
  while (rest.items.length > 0) {
    const size = rest.items.length
    const round: Round<Item> = { size, hasSucceeded: false, suspects: [], waiting: new Set() }
    if (!(await tryBatch(rest, round, work))) return false
    const { suspects, waiting } = round
    const [first] = suspects
    if (first !== undefined && isNotTheMessages(round)) {
      failures++
      work.alarm('ALL_FAIL', { err: first.error, messages: size, failures }, failures)
      await work.pause(delayAfter(failures), work.stopping)
      if (work.stopping.aborted) return false
      for (const { item } of suspects) waiting.add(item)
    } else {
      for (const { item, error } of suspects) {
        if (!(await giveUp(item, reasonOf(error), work))) return false
      }
    }
    rest = partOf(rest, (at) => waiting.has(rest.items[at] as Item))
  }
  return true
}

function partOf<Item>(
  { items, messages }: OpenedItems<Item>,
  isIn: (at: number) => boolean,
): OpenedItems<Item> {
  return {
    items: items.filter((_item, at) => isIn(at)),
    messages: messages.filter((_message, at) => isIn(at)),
  }
}

function isNotTheMessages<Item>({ hasSucceeded, suspects }: Round<Item>): boolean {
  if (hasSucceeded || suspects.length < alike_min) return false
  return new Set(suspects.map(({ error }) => likenessOf(error))).size === 1
}

/** Errors of one code are alike, though their messages may name different objects. */
function likenessOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code = error.message } = error as { readonly code?: unknown }
  return `${error.name} ${String(code)}`
}

/** Whether all of it is finished, suspected or waiting. */
async function tryBatch<Item>(
  all: OpenedItems<Item>,
  round: Round<Item>,
  work: Work<Item>,
): Promise<boolean> {
  const batch = withoutWaiting(all, round)
  const { items, messages } = batch
  const [item, message] = [items[0], messages[0]]
  if (item === undefined || message === undefined) return true
  const isStopping = () => work.stopping.aborted
  let failures = 0
  for (let outages = 0; ;) {
    const failure = await attempt(batch, work)
    if (failure === undefined) {
      round.hasSucceeded = true
      work.onFinished(items)
      return true
    }
    if (isStopping()) return false
    const { error } = failure
    const outage = outageIn(error)
    const isOfAll = outage !== undefined && outage.kind !== 'TOO_LARGE'
    if (!isOfAll && items.length > 1) {
      work.log.warn({ err: error, messages: items.length }, 'batch failed: halved')
      return tryHalves(batch, round, work)
    }
    if (outage !== undefined || isFromNewerRelease(error)) {
      outages++
      repeatLater(item, error, outages, work)
      await work.pause(delayAfter(outages), work.stopping)
    } else if (++failures === triesOf(round)) {
      if (round.hasSucceeded || round.size < alike_min) {
        return giveUp(item, reasonOf(error), work)
      }
      round.suspects.push({ item, message, error })
      return true
    } else {
      work.log.warn({ err: error, tries: failures }, 'message failed: tried again')
      await work.pause(delayAfter(failures), work.stopping)
    }
    if (isStopping()) return false
  }
}

/** After this many failures the messages are hardly the cause, so each further one is tried once. */
function triesOf<Item>({ hasSucceeded, suspects }: Round<Item>): number {
  return !hasSucceeded && suspects.length >= alike_min ? 1 : tries_max
}

/** About half a minute: a service that is still starting, or restarting, is no warning. */
const quietOutages_max = 20

function repeatLater<Item>(item: Item, error: unknown, tries: number, work: Work<Item>): void {
  if (outageIn(error) === undefined) hold(item, error, tries, work)
  else if (needsOperator(error)) work.alarm('REFUSED', { err: error, tries }, tries)
  else {
    const level = tries > quietOutages_max ? 'warn' : 'info'
    work.log[level]({ err: error, outages: tries }, 'outage: tried again')
  }
}

function hold<Item>(item: Item, error: unknown, tries: number, work: Work<Item>): void {
  work.alarm('NEWER_RELEASE', { err: error, tries }, tries)
  work.onHeld(item, error)
}

/** Messages with the key of a suspect wait until the outcome of the suspect is decided. */
function withoutWaiting<Item>(
  batch: OpenedItems<Item>,
  { suspects, waiting }: Round<Item>,
): OpenedItems<Item> {
  if (suspects.length === 0) return batch
  const lanes = new Set(suspects.map(({ message }) => laneOf(message)))
  for (const [at, message] of batch.messages.entries()) {
    if (message.key !== '' && lanes.has(laneOf(message))) waiting.add(batch.items[at] as Item)
  }
  return partOf(batch, (at) => !waiting.has(batch.items[at] as Item))
}

function laneOf({ topic, key }: Message): string {
  return `${topic}\n${key}`
}

/** The second half waits for the first: a key may be in both. */
async function tryHalves<Item>(
  batch: OpenedItems<Item>,
  round: Round<Item>,
  work: Work<Item>,
): Promise<boolean> {
  const middle = batch.items.length >> 1
  return (
    (await tryBatch(part(batch, 0, middle), round, work)) &&
    (await tryBatch(part(batch, middle, batch.items.length), round, work))
  )
}

function part<Item>(
  { items, messages }: OpenedItems<Item>,
  from: number,
  to: number,
): OpenedItems<Item> {
  return { items: items.slice(from, to), messages: messages.slice(from, to) }
}

async function attempt<Item>(
  { items, messages }: OpenedItems<Item>,
  work: Work<Item>,
): Promise<{ readonly error: unknown } | undefined> {
  try {
    await work.handleBatch(messages, items)
    return undefined
  } catch (error) {
    return { error }
  }
}

/** A message is not finished before its dead letter is stored, so it cannot be lost. */
async function giveUp<Item>(item: Item, reason: string, work: Work<Item>): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    if (work.stopping.aborted) return false
    try {
      await work.deadLetter(item, reason)
      work.onFinished([item])
      return true
    } catch (error) {
      if (tries < tries_max)
        work.log.warn({ err: error, tries }, 'dead letter not stored: tried again')
      else
        work.alarm('DEAD_LETTER_NOT_STORED', { err: error, reason, tries }, tries - tries_max + 1)
      await work.pause(delayAfter(tries), work.stopping)
    }
  }
}

/** The reason of a dead letter. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return text.slice(0, reason_length_max)
}
