/** The largest entries of a CPU profile as Node.js writes it: which functions the time went to. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: {
      readonly functionName: string
      readonly url: string
      readonly lineNumber: number
    }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

export interface ProfileEntry {
  /** Function and place, as far as the profile knows them. */
  readonly name: string
  /** Share of the busy time, in per cent. */
  readonly share: number
}

const idle = new Set(['(idle)', '(program)', '(root)'])

/** Self time by function over the newest profile in a folder, the largest first. */
export function largestEntries(folder: string, count: number): readonly ProfileEntry[] {
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))
  if (file === undefined) return []
  const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const self_us = new Map<string, number>()
  profile.samples.forEach((id, at) => {
    const name = names.get(id) ?? ''
    self_us.set(name, (self_us.get(name) ?? 0) + (profile.timeDeltas[at] ?? 0))
  })
  const busy = [...self_us].filter(([name]) => !idle.has(name))
  const total_us = busy.reduce((sum, [, us]) => sum + us, 0)
  return busy
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([name, us]) => ({ name, share: Math.round((us * 1_000) / total_us) / 10 }))
}

function nameOf(frame: CpuProfile['nodes'][number]['callFrame']): string {
  const { functionName, url, lineNumber } = frame
  if (functionName.startsWith('(') || url === '') return functionName
  const place = url.split('/').slice(-3).join('/')
  return `${functionName === '' ? '(anonymous)' : functionName} ${place}:${lineNumber + 1}`
}
