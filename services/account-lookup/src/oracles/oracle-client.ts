/**
 * The HTTP client of one oracle, with its own connections and circuit breaker: a slow or
 * unreachable oracle delays only the requests that need it, and those for a bounded time.
 */
import { setTimeout as wait } from 'node:timers/promises'
import {
  afterBegin,
  afterEnd,
  closedCircuit,
  mayCall,
  type Circuit,
  type CircuitBounds,
  type ClientTls,
  type Egress,
  type Http,
  HttpFailure,
  type HttpAnswer,
} from '@causeway/http'
import type { Logger } from '@causeway/process'
import type { LookupMeasures } from '../measures.ts'
import { OracleFailed } from './failure.ts'

export interface OracleRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
}

export interface OracleClient {
  /**
   * `read` parses an answer; undefined means that it is invalid, which counts as a failure of the
   * oracle. GET is retried, any other method is sent once. Rejects with OracleFailed.
   */
  call<T>(request: OracleRequest, read: (answer: HttpAnswer) => T | undefined): Promise<T>
  /** Closes the connections when the last call has ended; no further calls may begin. */
  retire(): void
  /** Fails the calls in progress. */
  close(): Promise<void>
}

export interface OracleBounds extends CircuitBounds {
  readonly timeout_ms: number
  readonly attempts_max: number
  readonly calls_max: number
}

export interface OracleClientParts {
  readonly oracleId: number
  readonly bounds: OracleBounds
  /** Undefined: no client certificate, and the public CAs. */
  readonly tls: ClientTls | undefined
  /** Where oracles may be. */
  readonly egress: Egress
  readonly http: Http
  readonly measures: LookupMeasures
  readonly log: Logger
}

/** An answer about 10,000 parties, each of them refused with a description. */
const body_bytes_max = 8_388_608
const pause_ms = 50

export function openOracleClient({
  oracleId,
  bounds,
  tls,
  egress,
  http,
  measures,
  log,
}: OracleClientParts): OracleClient {
  const client = http.client({
    connections_per_origin_max: bounds.calls_max,
    timeout_ms: bounds.timeout_ms,
    body_bytes_max,
    egress,
    ...(tls === undefined ? {} : { tls }),
  })
  let circuit: Circuit = closedCircuit
  let callsInFlight = 0
  let retired = false

  async function attempt<T>(
    request: OracleRequest,
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
    setCircuit(afterEnd(circuit, !failed, now_ms, bounds))
    if (!failed) return attempted.value
    const { message } = attempted
    throw new OracleFailed('ORACLE_AWAY', `oracle ${oracleId}: ${message}`, { cause: attempted })
  }

  function setCircuit(next: Circuit): void {
    const { state } = circuit
    circuit = next
    if (next.state === state) return
    measures.circuitOpen(oracleId, next.state === 'OPEN')
    log.warn({ oracleId, state: next.state }, 'the circuit of an oracle has changed its state')
  }

  function closeIfIdle(): void {
    if (retired && callsInFlight === 0) void client.close()
  }

  return {
    async call(request, read) {
      callsInFlight++
      try {
        return await repeated(request.method === 'GET' ? bounds.attempts_max : 1, () =>
          attempt(request, read),
        )
      } finally {
        callsInFlight--
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
    return new HttpFailure('OTHER', `its answer (${answer.status}) is not valid`)
  } catch (error) {
    if (error instanceof HttpFailure) return error
    throw error
  }
}

/** A request that has waited for a time-out is not retried. */
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
