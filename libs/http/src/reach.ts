/**
 * How far an address can be reached, and the refusal of what settings relax on one that is reached further
 * than the relaxation may be.
 */
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { acceptedIn, relaxations, StartError, type RelaxationName } from '@causeway/process'
import { isLoopbackHost } from './foreign-pages.ts'

export type Reach = 'loopback' | 'private' | 'public'

const privateRanges = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['fc00::', 7],
  ['fe80::', 10],
] as const

const privateList = new BlockList()
for (const [address, prefix] of privateRanges) {
  privateList.addSubnet(address, prefix, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/**
 * Of an address that a server listens on: 0.0.0.0 and :: are all addresses of the machine, and a name may be
 * any, so these count as public.
 */
export function reachOf(host: string): Reach {
  if (isLoopbackHost(host)) return 'loopback'
  const [address = ''] = host.split('%')
  const family = isIP(address)
  if (family === 0) return 'public'
  return privateList.check(address, family === 6 ? 'ipv6' : 'ipv4') ? 'private' : 'public'
}

/** All addresses of a name; rejects for one that has none now. */
export type ResolveAll = (name: string) => Promise<readonly string[]>

const resolveAll: ResolveAll = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address)

/** Of a server that is connected to. A name that cannot be resolved yet leads nowhere: private. */
export async function reachOfServer(
  host: string,
  resolve: ResolveAll = resolveAll,
): Promise<Reach> {
  if (isIP(host) !== 0 || isLoopbackHost(host)) return reachOf(host)
  const addresses = await resolve(host).catch(() => [])
  const reaches = addresses.map(reachOf)
  return reaches.includes('public') ? 'public' : 'private'
}

export interface Reached {
  /** As it is shown: `FSP_HOST=0.0.0.0`. */
  readonly shown: string
  readonly reach: Reach
  /** ACCEPT_RELAXATIONS */
  readonly accepted: string
}

/** Throws StartError for the first relaxation that the address is reached too far for. */
export function refuseRelaxations(
  names: readonly RelaxationName[],
  { shown, reach, accepted }: Reached,
): void {
  const stated = acceptedIn(accepted)
  for (const name of names) {
    const { within, consequence } = relaxations[name]
    if (within === 'loopback' && reach !== 'loopback') {
      throw new StartError(
        `${shown} is reachable from other machines, and ${name} is refused there: ${consequence}. Use a loopback address such as 127.0.0.1, or another value of ${settingOf(name)}.`,
      )
    }
    if (within === 'private' && reach === 'public' && !stated.has(name)) {
      throw new StartError(
        `${shown} is a public address, or all addresses of a machine, and ${name} is refused there: ${consequence}. Use a private address or another value of ${settingOf(name)}, or state ACCEPT_RELAXATIONS=${name}.`,
      )
    }
  }
}

function settingOf(name: string): string {
  return name.split('=')[0] ?? name
}
