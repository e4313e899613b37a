/** GET /participants/{name}/readiness: what an FSP still lacks. */
import { z } from 'zod'
import { answered, type OperationResult } from '../answer.ts'
import { reads, type Operation } from '../operation.ts'
import { findParticipant, unknownParticipant, type Deps } from '../upstream.ts'
import { checklist } from './domain/checklist.ts'
import { gatherFacts } from './facts.ts'

const shownItem = z.strictObject({
  item: z.string(),
  ok: z.boolean(),
  /** What exists, or what is missing and how to add it. */
  text: z.string(),
})

const shownReadiness = z
  .strictObject({ participant: z.string(), ready: z.boolean(), items: z.array(shownItem) })
  .meta({ id: 'Readiness' })

export function readinessOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/participants/:name/readiness',
      {
        about: 'What an FSP still lacks, and how to add it',
        answers: { 200: shownReadiness },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      ({ name }) => readiness(deps, name),
    ),
  ]
}

/** The hub and its auth service are not FSPs and are not onboarded. */
async function readiness(deps: Deps, name: string): Promise<OperationResult> {
  const participant = await findParticipant(deps, name)
  if (participant === undefined || participant.isHub) return unknownParticipant(name)
  if (participant.type === 'AUTH_SERVICE') return unknownParticipant(name)
  const { ready, items } = checklist(await gatherFacts(deps, participant), new Date())
  return answered(200, { participant: name, ready, items: items.map((item) => ({ ...item })) })
}
