/** What an operator asks over the administration API, again and again until it is answered. */
import { operatorServer } from '../hub/network.ts'
import type { Supervisor } from '../hub/supervisor.ts'

export interface Administered {
  readonly status: number
  readonly json: unknown
}

/** The operator who asks; without tokens the header names them. */
export const actor = 'operator'

export function administer(
  supervisor: Supervisor,
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  body?: object,
  operator = actor,
): Promise<Administered> {
  const message = {
    method,
    url,
    headers: { host: '127.0.0.1', 'x-operator': operator, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
  }
  return supervisor.ask(async ({ network }) => {
    const answer = await network.receive(operatorServer, message, () => undefined)
    if (answer === undefined || answer.status >= 500) throw new Error(`not answered: ${url}`)
    return { status: answer.status, json: JSON.parse(answer.body) as unknown }
  })
}
