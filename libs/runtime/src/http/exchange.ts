/**
 * One request and its answer over a pool of connections: settled exactly once, by the whole answer,
 * by a failure, or by the time-out, whatever comes first.
 */
import type { Dispatcher, Pool } from 'undici'
import type { HttpAnswer, HttpRequest } from './client.ts'
import { HttpFailure, httpFailure } from './failure.ts'

const body_bytes_max = 65_536

/** Rejects with HttpFailure. */
export function exchange(
  pool: Pool,
  path: string,
  request: HttpRequest,
  timeout_ms: number,
): Promise<HttpAnswer> {
  const { method, headers, body = null, signal } = request
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let status = 0
    let answerHeaders: HttpAnswer['headers'] = {}
    const chunks: Buffer[] = []
    let bytes = 0
    let settled = false

    const timer = setTimeout(() => {
      fail(new HttpFailure('TIMEOUT', `no whole answer within ${timeout_ms} ms`))
    }, timeout_ms)
    signal?.addEventListener('abort', onAbort)

    function onAbort() {
      fail(new HttpFailure('OTHER', 'the request was aborted', { cause: signal?.reason }))
    }

    /** False when it was settled before. */
    function settle(): boolean {
      if (settled) return false
      settled = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      return true
    }

    function fail(failure: HttpFailure): void {
      if (!settle()) return
      controller?.abort(failure)
      reject(failure)
    }

    function succeed(truncated: boolean): void {
      if (!settle()) return
      const all = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
      resolve({ status, headers: answerHeaders, body: all.subarray(0, body_bytes_max), truncated })
    }

    if (signal?.aborted === true) {
      onAbort()
      return
    }
    pool.dispatch(
      { method, path, headers, body },
      {
        onRequestStart(started) {
          controller = started
          if (settled) started.abort(new HttpFailure('OTHER', 'the request was given up'))
        },
        onResponseStart(_controller, code, received) {
          status = code
          answerHeaders = received
        },
        onResponseData(current, chunk) {
          chunks.push(chunk)
          bytes += chunk.length
          if (bytes <= body_bytes_max) return
          succeed(true)
          current.abort(new HttpFailure('OTHER', 'the rest of the body is not wanted'))
        },
        onResponseEnd: () => succeed(false),
        onResponseError: (_controller, error) => fail(httpFailure(error)),
      },
    )
  })
}
