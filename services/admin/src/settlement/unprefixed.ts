/** The settlement API has the prefix /v2, and the same paths without it for existing scripts. */
import type { Operation } from '../operation.ts'

const prefix = '/v2'

export function withUnprefixedPaths(operations: readonly Operation[]): readonly Operation[] {
  return [
    ...operations,
    ...operations.map((operation) => ({
      ...operation,
      path: operation.path.slice(prefix.length),
      about: { ...operation.about, about: `As ${operation.path}: ${operation.about.about}` },
    })),
  ]
}
