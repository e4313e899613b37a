/** Which cases fail for an FSP that is broken in one way. */
import { subjects } from '../cases/index.ts'
import type { Breakage } from './breaking.ts'
import { openWorld } from './world.ts'

export interface Broken {
  /** What the FSP does, as the end of a sentence. */
  readonly does: string
  readonly breakage: Breakage
  /** The cases that fail, and no other. */
  readonly caughtBy: readonly string[]
  /** Signatures are made and verified: only where no message is changed on its way. */
  readonly signs?: boolean
  /** The cases that are run; all about the same subjects when left out. */
  readonly only?: readonly string[]
}

/** So many broken FSPs are tested at the same time. */
const parallel = 6

/** The ids of failed cases, by what the FSP does. */
export async function failuresOf(
  all: readonly Broken[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const failed = new Map<string, readonly string[]>()
  const left = [...all]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      failed.set(next.does, await failedOf(next))
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return failed
}

async function failedOf({ breakage, signs = false, only, caughtBy }: Broken) {
  const world = await openWorld({ breakage, signs })
  const about = subjects.filter((subject) => subject.some(({ id }) => caughtBy.includes(id)))
  const results = await world.run(about.flat().filter(({ id }) => only?.includes(id) ?? true))
  await world.stop()
  return results.flatMap(({ id, state }) => (state === 'failed' ? [id] : []))
}
