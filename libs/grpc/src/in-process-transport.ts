/**
 * Calls between services of one process. Messages are serialized and parsed as for a connection, so that
 * the two sides share no objects and failures are the same; but nothing is sent over a socket, which
 * would cost ten times as much.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@causeway/process'
import { Metadata, status, type ServiceError } from '@grpc/grpc-js'
import { message_bytes_max } from './bounds.ts'
import type { Way } from './client.ts'
import {
  methodsOf,
  type HandledCall,
  type MethodDefinition,
  type UnaryHandler,
} from './definition.ts'
import { failure, handledCall, handlersOf } from './handling.ts'
import { asItself } from './operator.ts'

export interface InProcessTransport {
  serve(service: object, handlers: object): void
  /** Rejects with what a call over a connection would reject with. */
  readonly call: Way
  /** Takes no new calls and waits for those in flight, for at most this long. */
  stop(longest_ms: number): Promise<void>
}

/** The result of a call, as over a connection. */
class Refusal extends Error implements ServiceError {
  override readonly name = 'Refusal'
  readonly metadata = new Metadata()
  readonly code: status
  readonly details: string

  constructor(code: status, details: string) {
    super(details)
    this.code = code
    this.details = details
  }
}

export function openInProcessTransport(log: Logger): InProcessTransport {
  const served = new Map<string, UnaryHandler>()
  const inFlight = new Set<Promise<unknown>>()
  let isStopped = false

  async function answer(
    handler: UnaryHandler,
    method: MethodDefinition,
    request: object,
    call: HandledCall,
  ): Promise<object> {
    try {
      const asked = method.requestDeserialize(bounded(method.requestSerialize(request)))
      const answered = await asItself(() => handler(asked, call))
      return method.responseDeserialize(bounded(method.responseSerialize(answered)))
    } catch (error) {
      if (error instanceof Refusal) throw error
      const { code, details } = failure(error, method.path, log)
      throw new Refusal(code, details)
    }
  }

  return {
    serve(service, handlers) {
      const methods = methodsOf(service)
      for (const [name, handler] of handlersOf(handlers)) {
        const method = methods.get(name)
        if (method !== undefined) served.set(method.path, handler)
      }
    },
    async call(method, request, deadline_ms, traces) {
      const handler = isStopped ? undefined : served.get(method.path)
      if (handler === undefined) throw new Refusal(status.UNAVAILABLE, 'it is not served here now')
      const { call, giveUp } = openCall(deadline_ms, traces)
      const answering = answer(handler, method, request, call)
      inFlight.add(answering)
      try {
        return await untilDeadline(answering, deadline_ms, giveUp)
      } finally {
        inFlight.delete(answering)
      }
    },
    async stop(longest_ms) {
      isStopped = true
      const enough = new AbortController()
      await Promise.race([
        Promise.allSettled(inFlight),
        wait(longest_ms, undefined, { signal: enough.signal }).catch(() => undefined),
      ])
      enough.abort()
    },
  }
}

/** A call, and the signal for its handler that no caller waits any longer. */
function openCall(deadline_ms: number, traces: readonly string[] = []) {
  let isGone = false
  let abort: (() => void) | undefined
  const call = handledCall(
    undefined,
    (onAbort) => {
      abort = onAbort
      if (isGone) onAbort()
    },
    Date.now() + deadline_ms,
    () => traces,
  )
  const giveUp = () => {
    isGone = true
    abort?.()
  }
  return { call, giveUp }
}

function untilDeadline(
  answering: Promise<object>,
  deadline_ms: number,
  giveUp: () => void,
): Promise<object> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Refusal(status.DEADLINE_EXCEEDED, `no response within ${deadline_ms} ms`))
      giveUp()
    }, deadline_ms)
    void answering.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function bounded(bytes: Buffer): Buffer {
  if (bytes.length <= message_bytes_max) return bytes
  const details = `a message of ${bytes.length} bytes is larger than ${message_bytes_max}`
  throw new Refusal(status.RESOURCE_EXHAUSTED, details)
}
