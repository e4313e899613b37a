/**
 * One request and its response over a pool of connections: settled exactly once, by the complete
 * response, a failure, or the time-out, whichever is first.
 */
import type { Dispatcher } from 'undici'
import type { HttpAnswer, HttpClientOptions, HttpRequest } from './client.ts'
import { HttpFailure, httpFailure } from './failure.ts'
import type { FewAtOnce, CancellableHandler } from './few-at-once.ts'

const body_bytes_max_usually = 65_536

/** Rejects with HttpFailure. */
export function exchange(
  pool: Pick<FewAtOnce, 'dispatch'>,
  path: string,
  request: HttpRequest,
  bounds: Pick<HttpClientOptions, 'timeout_ms' | 'body_bytes_max'>,
): Promise<HttpAnswer> {
  const { body_bytes_max = body_bytes_max_usually } = bounds
  const timeout_ms = Math.min(bounds.timeout_ms, request.timeout_ms ?? Infinity)
  const { method, headers, body = null, signal } = request
  return new Promise((resolve, reject) => {
    const aborted = () => {
      settle(new HttpFailure('OTHER', 'the request was aborted', { cause: signal?.reason }))
    }
    const timer = setTimeout(() => {
      settle(new HttpFailure('TIMEOUT', `no whole answer within ${timeout_ms} ms`))
    }, timeout_ms)
    const answering = handler(body_bytes_max, (outcome) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', aborted)
      if (outcome instanceof HttpFailure) reject(outcome)
      else resolve(outcome)
    })
    const { settle } = answering
    if (signal?.aborted === true) {
      aborted()
      return
    }
    signal?.addEventListener('abort', aborted)
    pool.dispatch({ method, path, headers, body }, answering)
  })
}

interface Answering extends CancellableHandler {
  /** Ends the exchange, unless it has ended; a connection that is still busy with it is closed. */
  readonly settle: (outcome: HttpAnswer | HttpFailure) => void
}

/** Collects the response; `settled` is called once. */
function handler(
  body_bytes_max: number,
  settled: (outcome: HttpAnswer | HttpFailure) => void,
): Answering {
  let controller: Dispatcher.DispatchController | undefined
  let status = 0
  let headers: HttpAnswer['headers'] = {}
  const chunks: Buffer[] = []
  let bytes = 0
  let open = true

  function settle(outcome: HttpAnswer | HttpFailure): void {
    if (!open) return
    open = false
    settled(outcome)
    if (outcome instanceof HttpFailure) controller?.abort(outcome)
  }

  function answer(truncated: boolean): HttpAnswer {
    const [only] = chunks
    const body = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
    return { status, headers, body: body.subarray(0, body_bytes_max), truncated }
  }

  return {
    settle,
    isSettled: () => !open,
    onRequestStart(started) {
      controller = started
      if (!open) started.abort(new HttpFailure('OTHER', 'the request was aborted'))
    },
    onResponseStart(_controller, code, received) {
      status = code
      headers = received
    },
    onResponseData(current, chunk) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes <= body_bytes_max) return
      settle(answer(true))
      current.abort(new HttpFailure('OTHER', 'the rest of the body is not read'))
    },
    onResponseEnd: () => settle(answer(false)),
    onResponseError: (_controller, error) => settle(httpFailure(error)),
  }
}
