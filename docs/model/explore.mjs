/**
 * Visits every state that a model can reach, breadth first, by the evaluator of Quint itself: in each
 * state `step` is evaluated once for each element of `possible`. So the invariant is checked in all states
 * within the bounds of the model, not in a sample of them. (The model checkers that Quint calls by itself,
 * Apalache and TLC, are Java programs that it downloads; this needs neither.)
 */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const folder = '@informalsystems/quint/dist/src'
const { load, parse, typecheck } = require(`${folder}/cliCommands.js`)
const { toExpr } = require(`${folder}/cliHelpers.js`)
const { Evaluator } = require(`${folder}/runtime/impl/evaluator.js`)
const { buildExpr } = require(`${folder}/runtime/impl/builder.js`)
const { newTraceRecorder } = require(`${folder}/runtime/trace.js`)
const { zerog } = require(`${folder}/idGenerator.js`)
const { right } = require('@sweet-monads/either')

/** Stands for chance: which of the possible steps is taken next, and how many there were. */
function openChoice() {
  const choice = {
    taken: 0n,
    of: 0n,
    next(bound) {
      choice.of = bound
      return choice.taken
    },
    getState: () => 0n,
    setState: () => undefined,
  }
  return choice
}

async function compile(input, choice) {
  const whole = (result) => {
    if (result.isLeft()) throw new Error(JSON.stringify(result.value, undefined, 1).slice(0, 2_000))
    return result.value
  }
  const args = { input, _: ['run'] }
  const checked = whole(await typecheck(whole(await parse(whole(await load(args))))))
  const evaluator = new Evaluator(checked.resolver.table, newTraceRecorder(0, choice), choice, true)
  const compiled = (text) => buildExpr(evaluator.builder, whole(toExpr(checked, text)))
  return { context: evaluator.ctx, compiled, whole }
}

/**
 * @param input the file of the model, which has init, step (`nondet a = possible.oneOf()`) and the invariant
 * @param onStep called with each step, also to a state that is known already
 * @returns how many states and steps there are, and the shortest history that breaks the invariant, if any
 */
export async function explore(input, invariant, { onStep = () => undefined } = {}) {
  const choice = openChoice()
  const { context, compiled, whole } = await compile(input, choice)
  const [init, step, holds] = ['init', 'step', invariant].map(compiled)
  const storage = context.varStorage
  const variables = storage.vars.valueSeq().toArray()
  const isTrue = (evaluate) => whole(evaluate(context)).toBool()
  const put = ({ values }) => {
    storage.reset()
    variables.forEach((variable, index) => (variable.value = right(values[index])))
    storage.clearCaches()
  }
  const reached = (from, action) => {
    const values = variables.map(({ value }) => whole(value).normalForm())
    const state = Object.fromEntries(
      variables.map(({ name }, index) => [name, plain(values[index])]),
    )
    return { values, state, from, action }
  }

  if (!isTrue(init)) throw new Error('init is not possible')
  context.shift()
  const first = reached(undefined, undefined)
  const known = new Set([JSON.stringify(first.state)])
  const waiting = [first]
  let steps = 0
  for (const before of waiting) {
    put(before)
    if (!isTrue(holds)) return { states: known.size, steps, history: historyOf(before) }
    choice.of = 1n
    for (choice.taken = 0n; choice.taken < choice.of; choice.taken += 1n) {
      put(before)
      choice.of = 0n
      if (!isTrue(step)) continue
      const action = plain(storage.nondetPicks.get('a'))
      context.shift()
      steps += 1
      const after = reached(before, action)
      onStep({ before, action, state: after.state })
      const key = JSON.stringify(after.state)
      if (known.has(key)) continue
      known.add(key)
      waiting.push(after)
    }
  }
  return { states: known.size, steps, history: undefined }
}

/** From the first state: each action, and the state after it. */
function historyOf(last) {
  const back = []
  for (let at = last; at !== undefined; at = at.from) back.push(at)
  return back.toReversed().map(({ action, state }) => ({ action, state }))
}

/** A value as JSON: of a variant its name, with what it holds; sets sorted, maps by their keys. */
function plain(value) {
  return jsonOf(value.toQuintEx(zerog))
}

function jsonOf(expression) {
  if (expression.kind === 'int') return Number(expression.value)
  if (expression.kind !== 'app') return expression.value
  const all = expression.args.map(jsonOf)
  const pairs = () =>
    Array.from({ length: all.length / 2 }, (_, at) => all.slice(2 * at, 2 * at + 2))
  switch (expression.opcode) {
    case 'Rec':
      return Object.fromEntries(sorted(pairs()))
    case 'Map':
      return Object.fromEntries(sorted(all))
    case 'Set':
      return sorted(all)
    case 'variant':
      return isEmpty(all[1]) ? all[0] : { [all[0]]: all[1] }
    default:
      return all
  }
}

const isEmpty = (value) => Array.isArray(value) && value.length === 0

function sorted(values) {
  return values
    .map((value) => ({ value, text: JSON.stringify(value) }))
    .toSorted((one, other) => (one.text < other.text ? -1 : 1))
    .map(({ value }) => value)
}
