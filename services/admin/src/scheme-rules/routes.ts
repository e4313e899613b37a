/**
 * Scheme rules: conditions on quotes. Quoting stores them as one list with one iteration number and
 * applies them in its order; the operator changes one at a time. Where the scheme asks for it
 * (SCHEME_RULES_FOUR_EYES), a change is a request that another operator decides.
 */
import { formatAmount } from '@causeway/money'
import { schemeRuleOf } from '@causeway/services'
import { z } from 'zod'
import { answered, refused, type OperationResult, type Answered } from '../answer.ts'
import { currency, decimalFromZero, percentage, wholeNumber } from '../fields.ts'
import type { Json } from '../json.ts'
import { ofRequest } from '../approvals/calls.ts'
import { requestBody, shownRequest } from '../approvals/shown.ts'
import { commands, reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'

/**
 * A rule as the operator writes it: its form, and quoting checks it against the other rules. Amounts
 * are shown in the FSPIOP form, whether a number or a string was sent.
 */
const schemeRule = schemeRuleOf({
  // The id of the path; a rule may be sent back exactly as it was read.
  id: z.string().optional(),
  currency,
  amount: decimalFromZero.transform(formatAmount),
  percentage: percentage.transform(formatAmount),
  whole: wholeNumber,
})

const shownRule = schemeRuleOf({
  id: z.string(),
  currency: z.string(),
  amount: z.string(),
  percentage: z.string(),
  whole: () => z.int(),
}).meta({ id: 'SchemeRule' })

type SchemeRule = z.infer<typeof schemeRule>

/** A rule as quoting stores it. */
interface StoredRule {
  readonly id: string
  readonly [member: string]: Json
}

const shownRules = z.strictObject({
  iteration: z.int(),
  changedAt: shownTime.optional(),
  changedBy: z.string().optional(),
  rules: z.array(shownRule),
})

/** How often a change is retried because the list was changed at the same time. */
const tries_max = 5

export function schemeRuleOperations(deps: Deps): readonly Operation[] {
  const one = '/scheme-rules/:ruleId'
  return [
    reads(
      '/scheme-rules',
      {
        about: 'The conditions on quotes, in the order in which they are checked',
        answers: { 200: shownRules },
      },
      () => listRules(deps),
    ),
    writes(
      'PUT',
      one,
      schemeRule,
      {
        about: 'Sets a rule: a new rule is checked last, a replaced one keeps its position',
        answers: { 200: shownRule, 201: shownRule, 202: shownRequest },
        refuses: ofRequest,
      },
      ({ ruleId, body, actor }) => putRule(deps, ruleId, body, actor),
    ),
    commands(
      'DELETE',
      one,
      {
        about: 'Removes a rule',
        answers: { 202: shownRequest, 204: null },
        refuses: ['RULE_UNKNOWN', ...ofRequest],
      },
      ({ ruleId, actor }) => deleteRule(deps, ruleId, actor),
    ),
  ]
}

/** In the order in which they are checked, with the last editor. */
async function listRules(deps: Deps): Promise<OperationResult> {
  const state = await deps.rules.GetSchemeRules({})
  const { iteration, changedAt, changedBy } = state
  const isChanged = changedAt !== undefined && changedBy !== undefined
  const change = isChanged ? { changedAt, changedBy } : {}
  return answered(200, { iteration, ...change, rules: rulesIn(state.rulesJson) })
}

/** A replaced rule keeps its position; a new one is checked last. */
async function putRule(
  deps: Deps,
  id: string,
  body: SchemeRule,
  actor: string,
): Promise<OperationResult> {
  if ((body.id ?? id) !== id) return refused('INVALID', 'id is not that of the path')
  const { id: _, ...members } = body
  const rule: StoredRule = {
    id,
    ...(JSON.parse(JSON.stringify(members)) as Omit<StoredRule, 'id'>),
  }
  return changeRules(deps, actor, (rules) =>
    rules.some((each) => each.id === id)
      ? { rules: rules.map((each) => (each.id === id ? rule : each)), answer: answered(200, rule) }
      : { rules: [...rules, rule], answer: answered(201, rule) },
  )
}

async function deleteRule(deps: Deps, id: string, actor: string): Promise<OperationResult> {
  return changeRules(deps, actor, (rules) => {
    const others = rules.filter((each) => each.id !== id)
    if (others.length === rules.length) return refused('RULE_UNKNOWN', `scheme rule ${id}`)
    return { rules: others, answer: answered(204) }
  })
}

interface RulesChange {
  readonly rules: readonly StoredRule[]
  /** The answer when the change was made. */
  readonly answer: Answered
}

/** Replaces the list that was read, unless it has changed since; then it is read again. */
async function changeRules(
  { rules }: Deps,
  actor: string,
  change: (
    rules: readonly StoredRule[],
  ) => RulesChange | Extract<OperationResult, { outcome: 'refused' }>,
): Promise<OperationResult> {
  for (let tries = 1; tries <= tries_max; tries++) {
    const state = await rules.GetSchemeRules({})
    const changed = change(rulesIn(state.rulesJson))
    if ('outcome' in changed) return changed
    const { refusal, request } = await rules.SetSchemeRules({
      iteration: state.iteration,
      rulesJson: JSON.stringify(changed.rules),
      changedBy: actor,
    })
    if (request) return answered(202, requestBody(request))
    if (!refusal) return changed.answer
    if (refusal.reason !== 'STALE') return refusedUpstream(refusal)
  }
  return refused('UNAVAILABLE', 'other operators are changing the scheme rules')
}

/** Quoting has validated them, so their type is known. */
function rulesIn(rulesJson: string): readonly StoredRule[] {
  return JSON.parse(rulesJson) as readonly StoredRule[]
}
