/**
 * An operation of the operator port is a row in a table of routes: its purpose, input, answers and
 * refusals. Requests are read with the row, and the OpenAPI document is generated from it.
 */
import { z } from 'zod'
import type { OperationResult } from './answer.ts'
import type { Reason } from './contract.ts'
import { pathVariables } from './fields.ts'

type PathVariable = keyof typeof pathVariables

/** The query of an operation that declares none. */
type Query = Readonly<Record<string, never>>

const noQuery = z.object({})

/** The variables of a path: 'name' and 'id' of `/participants/:name/accounts/:id`. */
type VariablesOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | VariablesOf<`/${More}`>
    : Rest
  : never

type PathValues<Path extends string> = {
  readonly [Name in VariablesOf<Path> & PathVariable]: z.infer<(typeof pathVariables)[Name]>
}

/** The arguments of an operation: a request that was read and is valid. */
export interface OperationRequest<Body, Search> {
  /** The operator's name, 'unknown' where none is required. */
  readonly actor: string
  /** The token that was sent, '' where none is required. */
  readonly token: string
  /** The network of the client. */
  readonly address: string
  /** A new id; where another person must approve it, that of the request. */
  readonly newId: string
  /** Who approved it, where another person had to. */
  readonly approver?: string
  /** The request line's URI, without a base path, and the body, as they were sent. */
  readonly sent: { readonly uri: string; readonly body: string }
  /** The format that the client prefers: 'json' or one of the operation's `files`. */
  readonly wanted: string
  readonly query: Search
  readonly body: Body
  /** A header that `About.headers` names; '' where it was not sent. */
  readonly header: (name: string) => string
}

export type Call<Body, Path extends string = string, Search = Query> = OperationRequest<
  Body,
  Search
> &
  PathValues<Path>

/** The answer by status: its shape, or null when it has no body. */
export type Answers = { readonly [Status in 200 | 201 | 202 | 204 | 503]?: z.ZodType | null }

/** The documentation of an operation, for the OpenAPI document. */
export interface About<Search = Query> {
  /** One sentence. */
  readonly about: string
  /** The query parameters; unknown ones are ignored. */
  readonly query?: z.ZodType<Search>
  /** What the headers are for, by name; a missing one is for the operation to refuse. */
  readonly headers?: Readonly<Record<string, string>>
  readonly answers: Answers
  /** Media types other than JSON that a 200 can have. */
  readonly files?: readonly string[]
  /** Whether name and secret may also be sent in the header Authorization: Basic (RFC 7617). */
  readonly takesBasic?: boolean
  /** It is itself a log-in: after failures the next one from the same address waits. */
  readonly isLogIn?: boolean
  /** Its refusals, in addition to those of any request of its kind. */
  readonly refuses?: readonly Reason[]
  /** How large its body may be; 1 MiB when left out. */
  readonly body_bytes_max?: number
}

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As Express writes it: `/participants/:name`. */
  readonly path: string
  readonly variables: readonly PathVariable[]
  readonly about: About<unknown>
  readonly query: z.ZodType
  /** null: the operation takes no body; one that is sent is not read. */
  readonly body: z.ZodType | null
  run(call: OperationRequest<unknown, unknown>): Promise<OperationResult>
}

type RunOperation<Body, Path extends string, Search> = (
  call: Call<Body, Path, Search>,
) => Promise<OperationResult>

/** An operation without a body. */
export function reads<const Path extends string, Search = Query>(
  path: Path,
  about: About<Search>,
  run: RunOperation<undefined, Path, Search>,
): Operation {
  return operation({ method: 'GET', path, body: null, about, run })
}

/** An operation that changes something and needs only its path. */
export function commands<const Path extends string, Search = Query>(
  method: 'POST' | 'DELETE',
  path: Path,
  about: About<Search>,
  run: RunOperation<undefined, Path, Search>,
): Operation {
  return operation({ method, path, body: null, about, run })
}

/** An operation that takes a body. */
export function writes<Body, const Path extends string, Search = Query>(
  method: 'POST' | 'PUT',
  path: Path,
  body: z.ZodType<Body>,
  about: About<Search>,
  run: RunOperation<Body, Path, Search>,
): Operation {
  return operation({ method, path, body, about, run })
}

interface OperationRow<Body, Path extends string, Search> {
  readonly method: Operation['method']
  readonly path: Path
  readonly body: z.ZodType<Body> | null
  readonly about: About<Search>
  run(call: Call<Body, Path, Search>): Promise<OperationResult>
}

function operation<Body, Path extends string, Search>(
  row: OperationRow<Body, Path, Search>,
): Operation {
  const made: Typed<Body, Path, Search> = {
    ...row,
    variables: variablesOf(row.path),
    query: row.about.query ?? noQuery,
  }
  return made
}

/** The form of the variables of its path. */
export function pathOf({ variables }: Operation) {
  return z.object(Object.fromEntries(variables.map((name) => [name, pathVariables[name]])))
}

interface Typed<Body, Path extends string, Search> extends Omit<Operation, 'run'> {
  run(call: Call<Body, Path, Search>): Promise<OperationResult>
}

/** A path variable without a description is a bug: the start fails. */
function variablesOf(path: string): readonly PathVariable[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    if (!Object.hasOwn(pathVariables, name))
      throw new Error(`${path}: unknown path variable :${name}`)
    return name as PathVariable
  })
}
