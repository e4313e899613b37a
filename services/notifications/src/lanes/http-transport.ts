/** Callbacks over HTTP; each lane has its own connections. */
import type { ClientTls, Egress, Http, HttpClient } from '@causeway/http'
import type { Tracer } from '@causeway/tracing'
import { refusalIn, type Notification } from '../contract.ts'
import { attempt_ms_max } from '../domain/step.ts'
import { judge, type Attempt } from '../domain/verdict.ts'
import { recordedAttempt } from './tracing.ts'
import type { Transport } from './lane.ts'

export interface HttpBounds {
  readonly requests_max: number
  readonly timeout_ms: number
  /** The client certificate and the CA for https FSPs; undefined: none, and the public CAs. */
  readonly tls: ClientTls | undefined
  /** Where callbacks may go. */
  readonly egress: Egress
  readonly http: Http
  /** Undefined: no traces are recorded. */
  readonly tracer: Tracer | undefined
}

export function openHttpTransport({
  requests_max,
  timeout_ms,
  tls,
  egress,
  http,
  tracer,
}: HttpBounds): Transport {
  const client = http.client({
    connections_per_origin_max: requests_max,
    timeout_ms,
    egress,
    ...(tls === undefined ? {} : { tls }),
  })
  return {
    async send(notification) {
      const attempt =
        tracer === undefined
          ? await attemptOver(client, notification, timeout_ms)
          : await recordedAttempt(tracer, notification, (sent) =>
              attemptOver(client, sent, timeout_ms),
            )
      const { transport } = notification.request
      const verdict = judge(transport.type === 'HTTP' ? transport.method : '', attempt)
      return attempt.type === 'ANSWERED'
        ? { verdict, httpStatus: attempt.status, refusal: attempt.refusal }
        : { verdict, httpStatus: null, refusal: undefined }
    },
    close: () => client.close(),
  }
}

async function attemptOver(
  client: HttpClient,
  { request, body, deadline_ms }: Notification,
  timeout_max_ms: number,
): Promise<Attempt> {
  const { transport, headers, onFailure } = request
  if (transport.type !== 'HTTP') return { type: 'UNANSWERED', reason: 'it is not an HTTP message' }
  const { method, url } = transport
  const hasBody = body.length > 0
  const awaited = { deadline_ms, isAwaited: onFailure !== undefined }
  const timeout_ms = attempt_ms_max(awaited, Date.now(), timeout_max_ms)
  try {
    const answer = await client.request({
      method,
      url,
      headers,
      timeout_ms,
      ...(hasBody ? { body } : {}),
    })
    return { type: 'ANSWERED', status: answer.status, refusal: refusalIn(answer) }
  } catch (error) {
    return { type: 'UNANSWERED', reason: error instanceof Error ? error.message : String(error) }
  }
}
