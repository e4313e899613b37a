/**
 * The line to one oracle, with its own connections and circuit: an oracle that is slow or away holds
 * up nobody but those who ask it, and those not for long.
 */
import { createHttpClient, HttpFailure, type HttpAnswer, type Logger } from '@causeway/runtime'
import { setTimeout as wait } from 'node:timers/promises'
import type { Measures } from '../measures.ts'
import {
  afterBegin,
  afterEnd,
  closedCircuit,
  mayCall,
  type Circuit,
  type CircuitBounds,
} from './domain/circuit.ts'
import { OracleFailed } from './failure.ts'

export interface LineRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
}

export interface Line {
  /**
   * `read` turns an answer into what it means, or into undefined when it means nothing: that is a
   * failure of the oracle. GET is repeated, anything else is sent once. Rejects with OracleFailed.
   */
  call<T>(request: LineRequest, read: (answer: HttpAnswer) => T | undefined): Promise<T>
  /** Nobody begins to use it any more: its connections are closed when the last call has ended. */
  retire(): void
  /** Fails what is under way. */
  close(): Promise<void>
}

export interface LineBounds extends CircuitBounds {
  readonly timeout_ms: number
  readonly attempts_max: number
  readonly calls_max: number
}

export interface LineParts {
  readonly oracleId: number
  readonly bounds: LineBounds
  readonly measures: Measures
  readonly log: Logger
}

/** An answer about 10,000 parties, each of them refused with a description. */
const body_bytes_max = 8_388_608
const pause_ms = 50

export function openLine({ oracleId, bounds, measures, log }: LineParts): Line {
  const client = createHttpClient({
    connections_per_origin_max: bounds.calls_max,
    timeout_ms: bounds.timeout_ms,
    body_bytes_max,
  })
  let circuit: Circuit = closedCircuit
  let underWay = 0
  let retired = false

  async function attempt<T>(
    request: LineRequest,
    read: (answer: HttpAnswer) => T | undefined,
  ): Promise<T> {
    const began_ms = performance.now()
    if (!mayCall(circuit, began_ms)) {
      throw new OracleFailed('ORACLE_TRIPPED', `oracle ${oracleId} has failed too often`)
    }
    circuit = afterBegin(circuit, began_ms, bounds)
    const attempted = await answerOf(client.request(request), read)
    const now_ms = performance.now()
    const failed = attempted instanceof HttpFailure
    measures.called(oracleId, failed ? attempted.kind : 'ANSWERED', now_ms - began_ms)
    turn(afterEnd(circuit, !failed, now_ms, bounds))
    if (!failed) return attempted.value
    const { message } = attempted
    throw new OracleFailed('ORACLE_AWAY', `oracle ${oracleId}: ${message}`, { cause: attempted })
  }

  function turn(next: Circuit): void {
    const { state } = circuit
    circuit = next
    if (next.state === state) return
    measures.circuitOpen(oracleId, next.state === 'OPEN')
    log.warn({ oracleId, state: next.state }, 'the circuit of an oracle has turned')
  }

  function closeIfIdle(): void {
    if (retired && underWay === 0) void client.close()
  }

  return {
    async call(request, read) {
      underWay++
      try {
        return await repeated(request.method === 'GET' ? bounds.attempts_max : 1, () =>
          attempt(request, read),
        )
      } finally {
        underWay--
        closeIfIdle()
      }
    },
    retire() {
      retired = true
      closeIfIdle()
    },
    close: () => client.close(),
  }
}

async function answerOf<T>(
  asked: Promise<HttpAnswer>,
  read: (answer: HttpAnswer) => T | undefined,
): Promise<{ readonly value: T } | HttpFailure> {
  try {
    const answer = await asked
    const value = answer.truncated ? undefined : read(answer)
    if (value !== undefined) return { value }
    return new HttpFailure('OTHER', `its answer (${answer.status}) is none that can be used`)
  } catch (error) {
    if (error instanceof HttpFailure) return error
    throw error
  }
}

/** Who has waited for a slow oracle once does not wait for it again. */
async function repeated<T>(attempts_max: number, attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      const { reason, cause } = error as Partial<OracleFailed>
      const isSlow = cause instanceof HttpFailure && cause.kind === 'TIMEOUT'
      if (reason !== 'ORACLE_AWAY' || isSlow || attempts >= attempts_max) throw error
      await wait(pause_ms)
    }
  }
}
