/** The settlement API stands under /v2, and under the same paths without it for scripts that know it so. */
import type { Operation } from '../operation.ts'

const prefix = '/v2'

export function alsoWithoutPrefix(operations: readonly Operation[]): readonly Operation[] {
  return [
    ...operations,
    ...operations.map((operation) => ({
      ...operation,
      path: operation.path.slice(prefix.length),
      about: { ...operation.about, about: `As ${operation.path}: ${operation.about.about}` },
    })),
  ]
}
