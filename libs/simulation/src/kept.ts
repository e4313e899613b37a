/** Histories that once showed a defect: they run before all others. */
import type { Plan } from './history/plan.ts'

export const kept: readonly { readonly name: string; readonly plan: Plan }[] = []
