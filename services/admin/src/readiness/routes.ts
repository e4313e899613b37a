/** GET /participants/{name}/readiness: what an FSP still lacks, in plain words. */
import { z } from 'zod'
import { answered, type Answer } from '../answer.ts'
import { reads, type Operation } from '../operation.ts'
import { findParticipant, unknownParticipant, type Deps } from '../upstream.ts'
import { checklist } from './domain/checklist.ts'
import { gatherFacts } from './facts.ts'

const shownItem = z.strictObject({
  item: z.string(),
  ok: z.boolean(),
  /** What is there, or what is lacking and how it is put right. */
  text: z.string(),
})

const shownReadiness = z.strictObject({
  participant: z.string(),
  ready: z.boolean(),
  items: z.array(shownItem),
})

export function readinessOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/participants/:name/readiness',
      {
        about: 'What an FSP still lacks, and what to do',
        answers: { 200: shownReadiness },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      ({ name }) => readiness(deps, name),
    ),
  ]
}

/** The hub and its auth service are no FSPs: nobody onboards them. */
async function readiness(deps: Deps, name: string): Promise<Answer> {
  const participant = await findParticipant(deps, name)
  if (participant === undefined || participant.isHub) return unknownParticipant(name)
  if (participant.type === 'AUTH_SERVICE') return unknownParticipant(name)
  const { ready, items } = checklist(await gatherFacts(deps, participant), new Date())
  return answered(200, { participant: name, ready, items: items.map((item) => ({ ...item })) })
}
