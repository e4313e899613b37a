/**
 * The rules in force, in memory: a change in this process applies at once, a change in another
 * process with the next refresh.
 */
import { refuse, type RefusedBy } from '@causeway/services'
import { readRules } from './contract.ts'
import type { Rule } from './domain/rule.ts'
import type { RuleSet, RuleStore } from './store.ts'

export interface RuleBook {
  rules(): readonly Rule[]
  /** Whether any rule needs the sums of payments. */
  needsVelocity(): boolean
  set(): RuleSet
  /** Reads the newest set, unless it is loaded already. */
  refresh(): Promise<void>
  change(change: RuleChange): Promise<RuleChanged>
}

export interface RuleChange {
  /** The iteration on which the change is based. */
  readonly iteration: number
  readonly json: string
  readonly changedBy: string
  readonly now: Date
}

export type RuleChanged = { readonly type: 'CHANGED'; readonly set: RuleSet } | RefusedBy<'quoting'>

interface RulesInForce {
  readonly set: RuleSet
  readonly rules: readonly Rule[]
  readonly needsVelocity: boolean
}

const json_length_max = 262_144
const changedBy_length_max = 256

export async function openRuleBook(store: RuleStore): Promise<RuleBook> {
  let page = pageOf(await store.newest())

  function turn(set: RuleSet): RuleSet {
    if (set.iteration > page.set.iteration) page = pageOf(set)
    return page.set
  }

  return {
    rules: () => page.rules,
    needsVelocity: () => page.needsVelocity,
    set: () => page.set,
    async refresh() {
      turn(await store.newest())
    },
    async change(change) {
      const { iteration, changedBy, now } = change
      const checked = checkRules(change)
      if (checked.type === 'REFUSE') return checked
      const set: RuleSet = {
        iteration: iteration + 1,
        json: checked.json,
        changedAt: now.toISOString(),
        changedBy,
      }
      const newest = turn(await store.newest())
      if (newest.iteration !== iteration || !(await store.add(set, newest))) {
        return refuse('STALE', `the rules were changed since iteration ${iteration}`)
      }
      return { type: 'CHANGED', set: turn(set) }
    },
  }
}

type CheckedRules = { readonly type: 'CHECKED'; readonly json: string } | RefusedBy<'quoting'>

/** `json` is the input without blanks. */
export function checkRules({
  json,
  changedBy,
}: Pick<RuleChange, 'json' | 'changedBy'>): CheckedRules {
  if (changedBy === '' || changedBy.length > changedBy_length_max) {
    return refuse('INVALID', `changedBy must have 1 to ${changedBy_length_max} characters`)
  }
  if (json.length > json_length_max) {
    return refuse('INVALID', `the rules must have at most ${json_length_max} characters`)
  }
  const reading = readRules(json)
  return reading.type === 'FAULT'
    ? refuse('INVALID', reading.detail)
    : { type: 'CHECKED', json: reading.json }
}

/** Stored rules were validated; only rules of a newer release of the hub may be unreadable. */
function pageOf(set: RuleSet): RulesInForce {
  const reading = readRules(set.json)
  if (reading.type === 'FAULT') {
    throw new Error(`scheme rules of iteration ${set.iteration}: ${reading.detail}`)
  }
  const { rules } = reading
  return { set, rules, needsVelocity: rules.some(({ type }) => type === 'VELOCITY') }
}
