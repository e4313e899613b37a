/** One message, sent to a hub of each kind. */
import { expect } from '@jest/globals'
import { openEdge } from './edge.ts'
import type { TestMessage } from './messages.ts'

const edges = {
  specification: openEdge(),
  mojaloop: openEdge({ COMPATIBILITY: 'mojaloop' }),
} as const

/**
 * Expects answers with these beginnings: the specification's, and where it differs the one that
 * Mojaloop's clients expect. A refused message publishes nothing.
 */
export async function expectAnswers(
  sent: TestMessage,
  strict: string,
  loose = strict,
): Promise<void> {
  for (const [mode, expected] of [
    ['specification', strict],
    ['mojaloop', loose],
  ] as const) {
    const edge = edges[mode]
    const outcome = await edge.outcomeOf(sent)
    expect([mode, outcome.slice(0, expected.length)]).toEqual([mode, expected])
    if (!expected.startsWith('20')) expect(edge.published).toEqual([])
    edge.published.splice(0)
  }
}
