/**
 * Messages that wait for work, oldest first. Two batches in work at the same time never hold the same
 * topic and key, and the messages of one key leave in the order of their arrival.
 */

export interface Keyed {
  readonly topic: string
  /** '' means none: no order is kept. */
  readonly key: string
}

/** A batch in work; its keys are taken until it is released. */
export interface Batch<Item> {
  readonly items: readonly Item[]
  readonly lanes: readonly Lane<Item>[]
}

/** A key in work, and the messages that have arrived for it since. */
interface Lane<Item> {
  readonly name: string
  readonly held: Fifo<Item>
  /** The batch in work that holds the key. */
  items: readonly Item[]
}

export interface Backlog<Item> {
  push(item: Item): void
  /** The next batch, at most `batch_max`; undefined when nothing may be taken now. */
  take(batch_max: number): Batch<Item> | undefined
  release(batch: Batch<Item>): void
  /** How many messages wait and are not in work. */
  readonly length: number
}

/** A backlog with one batch in work at a time: no key can be in two. */
export function plainBacklog<Item>(): Backlog<Item> {
  const fifo = openFifo<Item>()
  return {
    push: (item) => fifo.push(item),
    take(batch_max) {
      const items = fifo.take(batch_max)
      return items.length === 0 ? undefined : { items, lanes: [] }
    },
    release: () => undefined,
    get length() {
      return fifo.length
    },
  }
}

/**
 * A backlog with many batches in work at the same time. What arrives for a key in work is held in the
 * lane of that key, so that it is examined once and not again for each batch. Released lanes go before
 * what arrived later. They end, because nothing enters a lane while it waits.
 */
export function keyedBacklog<Item extends Keyed>(): Backlog<Item> {
  const fifo = openFifo<Item>()
  const out = new Map<string, Lane<Item>>()
  const released = openFifo<Lane<Item>>()
  let held = 0

  function takeLanes(items: Item[], lanes: Lane<Item>[], batch_max: number): void {
    while (items.length < batch_max && released.length > 0) {
      for (const lane of released.take(1)) {
        const taken = lane.held.take(batch_max - items.length)
        held -= taken.length
        items.push(...taken)
        goOut(lane, items, lanes)
      }
    }
  }

  function takeFifo(items: Item[], lanes: Lane<Item>[], batch_max: number): void {
    while (items.length < batch_max && fifo.length > 0) {
      for (const item of fifo.take(batch_max - items.length)) {
        const name = item.key === '' ? '' : `${item.topic}\n${item.key}`
        const lane = name === '' ? undefined : out.get(name)
        if (lane !== undefined && lane.items !== items) {
          lane.held.push(item)
          held++
          continue
        }
        items.push(item)
        if (lane === undefined && name !== '') {
          goOut({ name, held: openFifo(), items }, items, lanes)
        }
      }
    }
  }

  function goOut(lane: Lane<Item>, items: readonly Item[], lanes: Lane<Item>[]): void {
    lane.items = items
    out.set(lane.name, lane)
    lanes.push(lane)
  }

  return {
    push: (item) => fifo.push(item),
    take(batch_max) {
      const items: Item[] = []
      const lanes: Lane<Item>[] = []
      takeLanes(items, lanes, batch_max)
      takeFifo(items, lanes, batch_max)
      return items.length === 0 ? undefined : { items, lanes }
    },
    release({ lanes }) {
      for (const lane of lanes) {
        if (lane.held.length > 0) released.push(lane)
        else out.delete(lane.name)
      }
    },
    get length() {
      return fifo.length + held
    },
  }
}

interface Fifo<Item> {
  push(item: Item): void
  take(count_max: number): Item[]
  readonly length: number
}

/** The taken head of the array is cut off only when it is the greater part: taking stays cheap. */
function openFifo<Item>(): Fifo<Item> {
  let items: Item[] = []
  let head = 0
  return {
    push(item) {
      items.push(item)
    },
    take(count_max) {
      if (head === 0 && items.length <= count_max) {
        const all = items
        items = []
        return all
      }
      const taken = items.slice(head, head + count_max)
      head += taken.length
      if (head * 2 >= items.length) {
        items = items.slice(head)
        head = 0
      }
      return taken
    },
    get length() {
      return items.length - head
    },
  }
}
