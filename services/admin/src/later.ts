/** What the administration API is known to have and this hub does not do yet: 501, never 404. */
import { z } from 'zod'
import { refused } from './answer.ts'
import type { Operation } from './operation.ts'

const paths: readonly Pick<Operation, 'method' | 'path'>[] = [
  { method: 'PUT', path: '/participants/:name/accounts/:id/transfers/:transferId' },
  { method: 'PUT', path: '/settlementModels/:name' },
  { method: 'GET', path: '/transactions/:transferId' },
  { method: 'DELETE', path: '/endpointcache' },
]

export function laterOperations(): readonly Operation[] {
  return paths.map((operation) => ({
    ...operation,
    variables: [],
    about: { about: '', answers: {} },
    query: z.object({}),
    body: null,
    run: () => Promise.resolve(refused('NOT_BUILT', `${operation.method} ${operation.path}`)),
  }))
}
