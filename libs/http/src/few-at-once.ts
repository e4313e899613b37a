/**
 * A pool that opens its connections a few at a time. Otherwise a burst of requests to a server without
 * open connections opens one for each of them, and so many TLS handshakes at once block the process for
 * longer than the requests take on a few connections.
 */
import { Client, Pool, type Dispatcher } from 'undici'

export interface FewAtOnce {
  dispatch(options: Dispatcher.DispatchOptions, handler: CancellableHandler): void
  /** Closes the connections when all requests have ended. */
  close(): void
  /** Fails all requests. */
  destroy(): Promise<void>
}

export interface CancellableHandler extends Dispatcher.DispatchHandler {
  /** The caller no longer waits: a request that has not started is not sent. */
  isSettled(): boolean
}

interface QueuedDispatch {
  readonly options: Dispatcher.DispatchOptions
  readonly handler: CancellableHandler
}

/** Handshakes with one server at the same time; those that follow can resume a session. */
const opening_max = 2

/** Requests wait, in order, while no connection is free and none may be opened yet. */
export function openFewAtOnce(origin: string, options: Pool.Options): FewAtOnce {
  const waiting: QueuedDispatch[] = []
  let underWay = 0
  let isClosing = false
  const pool = new Pool(origin, {
    ...options,
    factory(url, clientOptions) {
      const client = new Client(url, clientOptions)
      // The pool must note first that the connection is free.
      client.on('drain', () => queueMicrotask(beginWaiting))
      return client
    },
  })
  pool.on('connect', beginWaiting)

  function mayBegin(): boolean {
    if (underWay < opening_max) return true
    const { connected, free } = pool.stats
    return free > 0 || underWay - (connected - free) < opening_max
  }

  function begin(next: QueuedDispatch): void {
    underWay += 1
    pool.dispatch(next.options, withEnd(next.handler, ended))
  }

  function ended(hasFailed: boolean): void {
    underWay -= 1
    // A connection that was not established, or was lost, does not become free.
    if (hasFailed) setImmediate(beginWaiting)
  }

  function beginWaiting(): void {
    while (waiting.length > 0 && mayBegin()) {
      const next = waiting.shift()
      if (next !== undefined && !next.handler.isSettled()) begin(next)
    }
    if (isClosing && waiting.length === 0 && !pool.closed) void pool.close()
  }

  return {
    dispatch(dispatched, handler) {
      const next = { options: dispatched, handler }
      if (waiting.length === 0 && mayBegin()) begin(next)
      else waiting.push(next)
    },
    close() {
      isClosing = true
      beginWaiting()
    },
    async destroy() {
      await pool.destroy()
      for (const next of waiting.splice(0)) begin(next)
    },
  }
}

/** Calls `onEnd` once, when the request has ended. */
function withEnd(
  handler: Dispatcher.DispatchHandler,
  onEnd: (hasFailed: boolean) => void,
): Dispatcher.DispatchHandler {
  let isOver = false
  const end = (hasFailed: boolean) => {
    if (isOver) return
    isOver = true
    onEnd(hasFailed)
  }
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd(controller, trailers) {
      handler.onResponseEnd?.(controller, trailers)
      end(false)
    },
    onResponseError(controller, error) {
      handler.onResponseError?.(controller, error)
      end(true)
    },
  }
}
