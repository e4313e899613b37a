/**
 * The CPU time of processes as the kernel counts it (Linux /proc). PostgreSQL is its postmaster
 * with every backend, those that have ended included.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** CPU time since each process began. */
export interface CpuUse {
  readonly hub_ms: number
  /** The hub's threads that run JavaScript. The other threads sign, compile and collect garbage. */
  readonly hub_main_thread_ms: number
  /** The hub's processes, by name. */
  readonly processes_ms: Readonly<Record<string, number>>
  readonly postgres_ms: number
  /** 0 where there is no broker. */
  readonly kafka_ms: number
  readonly fsps_ms: number
  /** Of the whole machine since it started: shows the CPU time of other programs. */
  readonly machine_ms: number
}

/** Process ids. */
export interface Processes {
  /** By name. */
  readonly hub: ReadonlyMap<string, number>
  readonly postmaster: number
  /** Undefined: there is no broker. */
  readonly broker: number | undefined
  readonly fsps: number
}

interface Stat {
  readonly parent: number
  readonly own_ticks: number
  readonly ended_children_ticks: number
}

const ticks_per_s = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

export function readCpu({ hub, postmaster, broker, fsps }: Processes): CpuUse {
  const ms = (ticks: number) => (ticks * 1_000) / ticks_per_s
  const own = (path: string) => ms(statOf(path)?.own_ticks ?? 0)
  const processes = [...hub].map(([name, pid]) => [name, own(`${pid}`)] as const)
  return {
    hub_ms: sum(processes.map(([, own_ms]) => own_ms)),
    hub_main_thread_ms: sum([...hub.values()].map((pid) => own(`${pid}/task/${pid}`))),
    processes_ms: Object.fromEntries(processes),
    postgres_ms: ms(familyTicks(postmaster)),
    kafka_ms: broker === undefined ? 0 : own(`${broker}`),
    fsps_ms: own(`${fsps}`),
    machine_ms: ms(busyTicks(readFileSync('/proc/stat', 'utf8'))),
  }
}

/** Resident memory of processes together in MB (10^6 bytes). */
export function readMemory(pids: Iterable<number>): number {
  const kilobytes = [...pids].map((pid) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0)
  })
  return Math.round((sum(kilobytes) * 1_024) / 1e6)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, n) => all + n, 0)
}

function familyTicks(postmaster: number): number {
  const own = statOf(`${postmaster}`)
  if (own === undefined) return 0
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(name))
    .filter((stat) => stat?.parent === postmaster)
    .reduce((sum, stat) => sum + (stat?.own_ticks ?? 0), own.own_ticks + own.ended_children_ticks)
}

/** All cores together, waiting and guests left out. proc(5). */
export function busyTicks(text: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = text
    .slice(0, text.indexOf('\n'))
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return user + nice + system + irq + softirq + steal
}

/** Undefined when the process has ended. */
function statOf(path: string): Stat | undefined {
  try {
    return readStat(readFileSync(`/proc/${path}/stat`, 'utf8'))
  } catch {
    return undefined
  }
}

/** The name of the program, in brackets, may contain any character. proc(5). */
export function readStat(text: string): Stat {
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [, parent = 0] = fields
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15)
  return { parent, own_ticks: utime + stime, ended_children_ticks: cutime + cstime }
}
