/**
 * What processes have used of the CPU, by the kernel's own account (Linux /proc). PostgreSQL is its
 * postmaster with every backend, those that have ended included.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CpuUse {
  readonly hub_ms: number
  readonly postgres_ms: number
  readonly load_ms: number
}

interface Stat {
  readonly parent: number
  readonly own_ticks: number
  readonly ended_children_ticks: number
}

const ticks_per_s = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

export function readCpu(hub: number, postmaster: number, load: number): CpuUse {
  const ms = (ticks: number) => (ticks * 1_000) / ticks_per_s
  return {
    hub_ms: ms(statOf(hub)?.own_ticks ?? 0),
    postgres_ms: ms(familyTicks(postmaster)),
    load_ms: ms(statOf(load)?.own_ticks ?? 0),
  }
}

export function postmasterOf(dataDir: string): number {
  const [pid] = readFileSync(join(dataDir, 'pg', 'postmaster.pid'), 'utf8').split('\n')
  return Number(pid)
}

function familyTicks(postmaster: number): number {
  const own = statOf(postmaster)
  if (own === undefined) return 0
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat?.parent === postmaster)
    .reduce((sum, stat) => sum + (stat?.own_ticks ?? 0), own.own_ticks + own.ended_children_ticks)
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parent = 0] = fields
    const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15)
    return { parent, own_ticks: utime + stime, ended_children_ticks: cutime + cstime }
  } catch {
    return undefined
  }
}
