/**
 * What an operation of the administration API is: a row in a table of routes. The tables are the
 * contents pages; reading what the client sent is done here once for all of them.
 */
import type { z } from 'zod'
import type { Answer } from './answer.ts'
import type { Query } from './fields.ts'

/** A request whose path, query and body have been read and found right. */
export interface Call<Body> {
  /** `{name}` of the path, '' when it has none. */
  readonly name: string
  /** `{id}` of the path, 0 when it has none. */
  readonly id: number
  /** `{kid}` of the path, '' when it has none. */
  readonly kid: string
  /** `{notificationId}` of the path, '' when it has none. */
  readonly notificationId: string
  /** `{ruleId}` of the path, '' when it has none. */
  readonly ruleId: string
  readonly query: Query
  readonly body: Body
}

export interface Operation<Body = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As Express writes it: `/participants/:name`. */
  readonly path: string
  /** null: the operation takes no body, and what is sent as one is not read. */
  readonly body: z.ZodType<Body> | null
  run(call: Call<Body>): Promise<Answer>
}

/** An operation without a body. */
export function reads(path: string, run: (call: Call<unknown>) => Promise<Answer>): Operation {
  return { method: 'GET', path, body: null, run }
}

/** An operation that changes something and needs no more than its path. */
export function commands(
  method: 'POST' | 'DELETE',
  path: string,
  run: (call: Call<unknown>) => Promise<Answer>,
): Operation {
  return { method, path, body: null, run }
}

/** An operation that takes a body. */
export function writes<Body>(
  method: 'POST' | 'PUT',
  path: string,
  body: z.ZodType<Body>,
  run: (call: Call<Body>) => Promise<Answer>,
): Operation {
  const operation: Operation<Body> = { method, path, body, run }
  return operation
}
