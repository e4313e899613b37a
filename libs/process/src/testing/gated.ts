/**
 * Calls that can be held up or cut off, before they had their effect and after it: where a process may
 * be slow, and where it may die.
 */

/** Throws to cut the call off. */
export type Gate = (at: string) => Promise<void> | void

/** Dies, as far as the work is concerned that was under way. */
export class Crash extends Error {}

type Methods = Readonly<Record<string, (...values: never[]) => Promise<unknown>>>

/** The same methods with a gate before each and another one after it. */
export function gated<T extends object>(target: T, gate: Gate): T {
  const methods = Object.entries(target as Methods).map(([name, method]) => [
    name,
    async (...values: never[]) => {
      await gate(`before ${name}`)
      const result = await method(...values)
      await gate(`after ${name}`)
      return result
    },
  ])
  return Object.fromEntries(methods) as T
}

/** A gate that dies when it is passed at this place for the first time. */
export function crashAt(place: string): Gate {
  return (at) => {
    if (at === place) throw new Crash(place)
  }
}
