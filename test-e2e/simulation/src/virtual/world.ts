/**
 * Virtual time: nothing waits. When all that is ready has run, time jumps to the next timer. What a
 * process began belongs to it: of a dead process nothing runs any more, of a frozen one nothing yet.
 */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { openChance, type Chance } from './chance.ts'

/** A process of the hub, as time knows it. */
export class Owner {
  readonly name: string
  /** Frozen until then, in ms of the world. */
  frozenUntil_ms = 0
  /** How far its clock is ahead of the world's. */
  ahead_ms = 0
  #isDead = false

  constructor(name: string) {
    this.name = name
  }

  die(): void {
    this.#isDead = true
  }

  isDead(): boolean {
    return this.#isDead
  }
}

type Callback = (...args: unknown[]) => void

export interface Timer {
  at_ms: number
  readonly n: number
  readonly run: Callback
  readonly args: readonly unknown[]
  readonly every_ms: number | undefined
  readonly owner: Owner | undefined
  /** The asynchronous context in which it was set. */
  readonly context: AsyncResource
  isCleared: boolean
}

const owners = new AsyncLocalStorage<Owner | undefined>()
const begin_ms = Date.UTC(2026, 0, 15, 12)
const realImmediate = setImmediate

const state = {
  now_ms: begin_ms,
  n: 0,
  timers: [] as Timer[],
  immediates: [] as Timer[],
  chance: openChance(1),
  /** Whether something works outside of virtual time, which has to wait for it. */
  busy: new Set<() => boolean>(),
}

export function now_ms(): number {
  return state.now_ms
}

/** By the clock of the process that asks. */
export function clock_ms(): number {
  return state.now_ms + (owners.getStore()?.ahead_ms ?? 0)
}

export function since_ms(): number {
  return state.now_ms - begin_ms
}

export function chance(): Chance {
  return state.chance
}

export function reseed(seed: number): void {
  state.chance = openChance(seed)
}

/** Forgets all timers, and begins again, so long after the beginning. */
export function resetTime(since_ms: number): void {
  Object.assign(state, { now_ms: begin_ms + since_ms, n: 0, timers: [], immediates: [] })
  state.busy.clear()
}

/** Sets the time of the world ahead, while nothing of a process waits for a timer. */
export function leapTo(time_ms: number): void {
  state.now_ms = Math.max(state.now_ms, time_ms)
}

export function ownerNow(): Owner | undefined {
  return owners.getStore()
}

/** What the work begins belongs to the owner; undefined: to the world outside of the hub. */
export function ownedBy<T>(owner: Owner | undefined, work: () => T): T {
  return owners.run(owner, work)
}

export function addTimer(
  run: Callback,
  delay_ms: number,
  args: readonly unknown[],
  repeats: boolean,
): Timer {
  // As Node.js does: at least a millisecond, and no fractions.
  const wait_ms = delay_ms >= 1 ? Math.trunc(delay_ms) : 1
  const timer = newTimer(run, args, state.now_ms + wait_ms, repeats ? wait_ms : undefined)
  push(state.timers, timer)
  return timer
}

export function addImmediate(run: Callback, args: readonly unknown[]): Timer {
  const timer = newTimer(run, args, state.now_ms, undefined)
  state.immediates.push(timer)
  return timer
}

function newTimer(
  run: Callback,
  args: readonly unknown[],
  at_ms: number,
  every_ms: number | undefined,
): Timer {
  const owner = owners.getStore()
  const context = new AsyncResource('Timer')
  return { at_ms, n: ++state.n, run, args, every_ms, owner, context, isCleared: false }
}

export function clearTimer(timer: Timer): void {
  timer.isCleared = true
}

export function refreshTimer(timer: Timer, delay_ms: number): void {
  state.timers = state.timers.filter((each) => each !== timer)
  timer.at_ms = state.now_ms + delay_ms
  timer.isCleared = false
  rebuild()
  push(state.timers, timer)
}

/** Until this says false, time stands still. */
export function waitWhile(isBusy: () => boolean): void {
  state.busy.add(isBusy)
}

/** Waits on the outside, in virtual time. */
export function rest(ms: number): Promise<void> {
  return new Promise((resolve) => {
    ownedBy(undefined, () => addTimer(() => resolve(), ms, [], false))
  })
}

/** While the process is frozen, which neither sends nor receives then. */
export async function thawed(owner: Owner | undefined): Promise<void> {
  const frozen_ms = (owner?.frozenUntil_ms ?? 0) - state.now_ms
  if (frozen_ms > 0) await rest(frozen_ms)
}

const look_ms = 50

/** Looks from time to time, on the outside, until the condition holds; whether it does in time. */
export async function holds(condition: () => boolean, longest_ms = Infinity): Promise<boolean> {
  const until_ms = state.now_ms + longest_ms
  while (!condition() && state.now_ms < until_ms) await rest(look_ms)
  return condition()
}

/** Lets the world run until the condition holds, at most so long; whether it holds. */
export async function run(longest_ms: number, done: () => boolean = () => false): Promise<boolean> {
  const until_ms = state.now_ms + longest_ms
  for (;;) {
    await settle()
    if (done()) return true
    if (!advance(until_ms)) {
      state.now_ms = Math.max(state.now_ms, until_ms)
      return done()
    }
  }
}

/** Until nothing is ready any more at this moment. */
async function settle(): Promise<void> {
  do {
    await turn()
    while ([...state.busy].some((isBusy) => isBusy())) await turn()
  } while (runImmediates())
}

function turn(): Promise<void> {
  return new Promise((resolve) => realImmediate(resolve))
}

function runImmediates(): boolean {
  if (state.immediates.length === 0) return false
  for (const timer of state.immediates.splice(0)) fire(timer)
  return true
}

/** The next timer, if it is due until then. */
function advance(until_ms: number): boolean {
  for (;;) {
    const next = state.timers[0]
    if (next === undefined || next.at_ms > until_ms) return false
    pop(state.timers)
    if (next.isCleared || next.owner?.isDead() === true) continue
    state.now_ms = Math.max(state.now_ms, next.at_ms)
    fire(next)
    return true
  }
}

function fire(timer: Timer): void {
  const { owner, every_ms } = timer
  if (timer.isCleared || owner?.isDead() === true) return
  if (owner !== undefined && owner.frozenUntil_ms > state.now_ms) {
    timer.at_ms = owner.frozenUntil_ms
    push(state.timers, timer)
    return
  }
  if (every_ms !== undefined) {
    timer.at_ms = state.now_ms + every_ms
    push(state.timers, timer)
  }
  timer.context.runInAsyncScope(timer.run, undefined, ...timer.args)
}

/** A heap: the timer that is due first is its root; of two at the same moment, the one set first. */
function isBefore(a: Timer, b: Timer): boolean {
  return a.at_ms < b.at_ms || (a.at_ms === b.at_ms && a.n < b.n)
}

function push(heap: Timer[], timer: Timer): void {
  let at = heap.push(timer) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!isBefore(timer, heap[parent] as Timer)) break
    heap[at] = heap[parent] as Timer
    at = parent
  }
  heap[at] = timer
}

function pop(heap: Timer[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Timer, heap[child] as Timer)) child++
    if (!isBefore(heap[child] as Timer, last)) break
    heap[at] = heap[child] as Timer
    at = child
  }
  heap[at] = last
}

function rebuild(): void {
  const all = state.timers
  state.timers = []
  for (const timer of all) push(state.timers, timer)
}
