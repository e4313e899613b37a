/**
 * What an operation of the operator port is: a row in a table of routes, which says once what it is
 * for, what it takes, what it answers and for what it refuses. Requests are read by what the row says,
 * and the OpenAPI document is made of it.
 */
import { z } from 'zod'
import type { Answer } from './answer.ts'
import type { Reason } from './contract.ts'
import { pathVariables } from './fields.ts'

type PathVariable = keyof typeof pathVariables

/** What an operation that names no query is asked. */
type Query = Readonly<Record<string, never>>

const noQuery = z.object({})

/** The names that follow colons in a path: 'name' and 'id' of `/participants/:name/accounts/:id`. */
type VariablesOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | VariablesOf<`/${More}`>
    : Rest
  : never

type PathValues<Path extends string> = {
  readonly [Name in VariablesOf<Path> & PathVariable]: z.infer<(typeof pathVariables)[Name]>
}

/** What every operation is called with: a request that has been read and found right. */
export interface Asked<Body, Search> {
  /** The operator's name, 'unknown' where nobody asks for it. */
  readonly actor: string
  /** The token that was sent, '' where nobody asks for one. */
  readonly token: string
  /** What the client likes best: 'json' or one of the operation's `files`. */
  readonly wanted: string
  readonly query: Search
  readonly body: Body
}

export type Call<Body, Path extends string = string, Search = Query> = Asked<Body, Search> &
  PathValues<Path>

/** What an answer of a status is: its shape, or null when it has no body. */
export type Answers = { readonly [Status in 200 | 201 | 202 | 204 | 503]?: z.ZodType | null }

/** What a row says of its operation; the reader of the OpenAPI document sees all of it. */
export interface About<Search = Query> {
  /** One sentence. */
  readonly about: string
  /** What may be asked for after the question mark; what is not known there is ignored. */
  readonly query?: z.ZodType<Search>
  readonly answers: Answers
  /** Media types other than JSON in which the operation can answer with 200. */
  readonly files?: readonly string[]
  /** Whether a name and its secret may also come in the header Authorization: Basic (RFC 7617). */
  readonly takesBasic?: boolean
  /** For what it refuses, beside what any request of its kind can be refused for. */
  readonly refuses?: readonly Reason[]
}

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As Express writes it: `/participants/:name`. */
  readonly path: string
  readonly variables: readonly PathVariable[]
  readonly about: About<unknown>
  readonly query: z.ZodType
  /** null: the operation takes no body, and what is sent as one is not read. */
  readonly body: z.ZodType | null
  run(call: Asked<unknown, unknown>): Promise<Answer>
}

type Run<Body, Path extends string, Search> = (call: Call<Body, Path, Search>) => Promise<Answer>

/** An operation without a body. */
export function reads<const Path extends string, Search = Query>(
  path: Path,
  about: About<Search>,
  run: Run<undefined, Path, Search>,
): Operation {
  return operation({ method: 'GET', path, body: null, about, run })
}

/** An operation that changes something and needs no more than its path. */
export function commands<const Path extends string, Search = Query>(
  method: 'POST' | 'DELETE',
  path: Path,
  about: About<Search>,
  run: Run<undefined, Path, Search>,
): Operation {
  return operation({ method, path, body: null, about, run })
}

/** An operation that takes a body. */
export function writes<Body, const Path extends string, Search = Query>(
  method: 'POST' | 'PUT',
  path: Path,
  body: z.ZodType<Body>,
  about: About<Search>,
  run: Run<Body, Path, Search>,
): Operation {
  return operation({ method, path, body, about, run })
}

interface Row<Body, Path extends string, Search> {
  readonly method: Operation['method']
  readonly path: Path
  readonly body: z.ZodType<Body> | null
  readonly about: About<Search>
  run(call: Call<Body, Path, Search>): Promise<Answer>
}

function operation<Body, Path extends string, Search>(row: Row<Body, Path, Search>): Operation {
  const made: Typed<Body, Path, Search> = {
    ...row,
    variables: variablesOf(row.path),
    query: row.about.query ?? noQuery,
  }
  return made
}

interface Typed<Body, Path extends string, Search> extends Omit<Operation, 'run'> {
  run(call: Call<Body, Path, Search>): Promise<Answer>
}

/** A variable that nobody has described is a slip of the pen: the start is refused. */
function variablesOf(path: string): readonly PathVariable[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    if (!Object.hasOwn(pathVariables, name)) throw new Error(`${path}: nobody knows :${name}`)
    return name as PathVariable
  })
}
