/**
 * Scheme rules: what the scheme demands of quotes. Quoting keeps them as one list with one iteration
 * number and judges by them in the order of the list; the operator changes one at a time.
 */
import type { SchemeRulesState } from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type Answer, type Answered } from '../answer.ts'
import type { Json } from '../json.ts'
import { commands, reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import { passedOn, type Deps } from '../upstream.ts'
import { schemeRule, shownRule, type SchemeRule } from './rule.ts'

/** A rule as quoting keeps it. */
interface KeptRule {
  readonly id: string
  readonly [member: string]: Json
}

const shownRules = z.strictObject({
  iteration: z.int(),
  changedAt: shownTime.optional(),
  changedBy: z.string().optional(),
  rules: z.array(shownRule),
})

/** So often a change is made anew because somebody else changed the list meanwhile. */
const tries_max = 5

export function schemeRuleOperations(deps: Deps): readonly Operation[] {
  const one = '/scheme-rules/:ruleId'
  return [
    reads(
      '/scheme-rules',
      {
        about: 'What the scheme demands of quotes, in the order in which it is judged',
        answers: { 200: shownRules },
      },
      () => listRules(deps),
    ),
    writes(
      'PUT',
      one,
      schemeRule,
      {
        about: 'Sets a rule: a new one is judged last, another keeps its place',
        answers: { 200: shownRule, 201: shownRule },
      },
      ({ ruleId, body, actor }) => putRule(deps, ruleId, body, actor),
    ),
    commands(
      'DELETE',
      one,
      { about: 'Removes a rule', answers: { 204: null }, refuses: ['RULE_UNKNOWN'] },
      ({ ruleId, actor }) => deleteRule(deps, ruleId, actor),
    ),
  ]
}

/** In the order in which they are judged, with who changed them last. */
async function listRules(deps: Deps): Promise<Answer> {
  const state = await deps.rules.GetSchemeRules({})
  const { iteration, changedAt, changedBy } = state
  const change = iteration === 0 ? {} : { changedAt, changedBy }
  return answered(200, { iteration, ...change, rules: rulesOf(state) })
}

/** A rule that is there keeps its place; a new one is judged last. */
async function putRule(deps: Deps, id: string, body: SchemeRule, actor: string): Promise<Answer> {
  if ((body.id ?? id) !== id) return refused('INVALID', 'id is not the one of the path')
  const { id: _, ...members } = body
  const rule: KeptRule = { id, ...(JSON.parse(JSON.stringify(members)) as Omit<KeptRule, 'id'>) }
  return changeRules(deps, actor, (rules) =>
    rules.some((each) => each.id === id)
      ? { rules: rules.map((each) => (each.id === id ? rule : each)), answer: answered(200, rule) }
      : { rules: [...rules, rule], answer: answered(201, rule) },
  )
}

async function deleteRule(deps: Deps, id: string, actor: string): Promise<Answer> {
  return changeRules(deps, actor, (rules) => {
    const others = rules.filter((each) => each.id !== id)
    if (others.length === rules.length) return refused('RULE_UNKNOWN', `scheme rule ${id}`)
    return { rules: others, answer: answered(204) }
  })
}

interface Change {
  readonly rules: readonly KeptRule[]
  /** What is told when the change is made. */
  readonly answer: Answered
}

/** Replaces the list that was read, unless it has changed since; then it is read again. */
async function changeRules(
  { rules }: Deps,
  actor: string,
  change: (rules: readonly KeptRule[]) => Change | Extract<Answer, { outcome: 'refused' }>,
): Promise<Answer> {
  for (let tries = 1; tries <= tries_max; tries++) {
    const state = await rules.GetSchemeRules({})
    const changed = change(rulesOf(state))
    if ('outcome' in changed) return changed
    const { refusal } = await rules.SetSchemeRules({
      iteration: state.iteration,
      rulesJson: JSON.stringify(changed.rules),
      changedBy: actor,
    })
    if (!refusal) return changed.answer
    if (refusal.reason !== 'STALE') return passedOn(refusal)
  }
  return refused('UNAVAILABLE', 'others change the scheme rules at the same time')
}

/** Quoting has read them, so they are what they are said to be. */
function rulesOf({ rulesJson }: SchemeRulesState): readonly KeptRule[] {
  return JSON.parse(rulesJson) as readonly KeptRule[]
}
