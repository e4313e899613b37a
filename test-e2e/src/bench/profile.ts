/**
 * Reads from a CPU profile of Node.js how a span of time was spent: in which functions, and for
 * which part of the hub.
 */

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  /** Microseconds of the monotonic clock, as in `process.hrtime`. */
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly children?: readonly number[]
  readonly callFrame: {
    readonly functionName: string
    readonly url: string
    readonly lineNumber: number
  }
}

/** Microseconds of the monotonic clock. */
export interface Span {
  readonly from_us: number
  readonly to_us: number
}

export interface ProfileEntry {
  readonly name: string
  readonly us: number
}

export interface Profile {
  /** Time in which the thread was busy. */
  readonly busy_us: number
  /** Self time by function with its location, the largest first. */
  readonly functions: readonly ProfileEntry[]
  /**
   * Busy time by the part of the hub whose function ran or called others (the nearest one below on
   * the stack), the largest first; time of Node.js itself is `node`.
   */
  readonly parts: readonly ProfileEntry[]
}

/**
 * Waiting is not work; `(program)` is: the kernel and native code, without JavaScript on the stack.
 */
const waiting = new Set(['(idle)', '(root)'])
const withoutStack = new Set(['(program)', '(garbage collector)'])

export function readProfile(profile: CpuProfile, span: Span): Profile {
  const self = selfTimes(profile, span)
  const owners = ownersOf(profile.nodes)
  const functions = new Map<string, number>()
  const parts = new Map<string, number>()
  let busy_us = 0
  for (const { id, callFrame } of profile.nodes) {
    const us = self.get(id) ?? 0
    if (us === 0 || waiting.has(callFrame.functionName)) continue
    busy_us += us
    const owner = owners.get(id) ?? 'node'
    add(functions, nameOf(callFrame, owner), us)
    add(parts, owner, us)
  }
  return { busy_us, functions: largestFirst(functions), parts: largestFirst(parts) }
}

/** Microseconds by the number of the node. */
function selfTimes({ startTime, samples, timeDeltas }: CpuProfile, { from_us, to_us }: Span) {
  const self = new Map<number, number>()
  let at_us = startTime
  samples.forEach((id, n) => {
    const us = timeDeltas[n] ?? 0
    at_us += us
    if (at_us >= from_us && at_us < to_us) self.set(id, (self.get(id) ?? 0) + us)
  })
  return self
}

function ownersOf(nodes: readonly ProfileNode[]): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const owners = new Map<number, string>()
  const [root] = nodes
  const open: (readonly [ProfileNode, string])[] = root === undefined ? [] : [[root, 'node']]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [{ id, callFrame, children = [] }, above] = next
    const { functionName, url } = callFrame
    const owner = withoutStack.has(functionName) ? functionName : (partOf(url) ?? above)
    owners.set(id, owner)
    for (const child of children) {
      const node = byId.get(child)
      if (node !== undefined) open.push([node, owner])
    }
  }
  return owners
}

/** `services/transfers`, `libs/bus/kafka` for a file of the hub; undefined for any other. */
function partOf(url: string): string | undefined {
  if (url.includes('/node_modules/')) return undefined
  const [, part, folder] =
    /\/(services\/[^/]+|libs\/[^/]+|protos)\/(?:dist|src)\/(?:([^/]+)\/)?/.exec(url) ?? []
  return part?.startsWith('libs/') === true && folder !== undefined ? `${part}/${folder}` : part
}

function nameOf(
  { functionName, url, lineNumber }: ProfileNode['callFrame'],
  owner: string,
): string {
  if (functionName.startsWith('(')) return functionName
  const name = functionName === '' ? '(anonymous)' : functionName
  if (url === '') return `${name} (native) for ${owner}`
  return `${name} ${locationOf(url)}:${lineNumber + 1}`
}

/** The path from the package on, or from the folder of the hub. */
function locationOf(url: string): string {
  const bought = url.lastIndexOf('/node_modules/')
  if (bought >= 0) return url.slice(bought + '/node_modules/'.length)
  return /\/((?:services|libs|protos)\/.*)$/.exec(url)?.[1] ?? url
}

function add(sums: Map<string, number>, name: string, us: number): void {
  sums.set(name, (sums.get(name) ?? 0) + us)
}

function largestFirst(sums: ReadonlyMap<string, number>): readonly ProfileEntry[] {
  return [...sums].sort(([, a], [, b]) => b - a).map(([name, us]) => ({ name, us }))
}
