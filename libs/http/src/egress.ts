/**
 * Where requests may go. Addresses of FSPs, oracles and reminders are data: who may set one could
 * make the hub call services behind its firewall, or the metadata service of its cloud. So an address is
 * checked when it is registered, and each time a connection is opened, on what its name then resolves
 * to.
 */
import { lookup, type LookupAddress, type LookupAllOptions } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import {
  acceptedIn,
  acceptRelaxations,
  choice,
  type InsecureMode,
  listIn,
  StartError,
  text,
} from '@causeway/process'
import { HttpFailure } from './failure.ts'

/** The settings of each service that sends requests to registered addresses, or registers them. */
export const egressSettings = {
  FSP_HOST: text({
    about: 'address that the API for FSPs listens on; 127.0.0.1: only this machine',
    default: '127.0.0.1',
  }),
  EGRESS_LOOPBACK: choice({
    about:
      'whether registered addresses of FSPs, oracles and reminders may be on this machine; auto: only ' +
      'in a hub of one process whose FSP_HOST is a loopback address',
    options: ['auto', 'allowed', 'denied'],
    default: 'auto',
  }),
  EGRESS_HTTP: choice({
    about:
      'where plain http may be used: loopback (this machine only) or accepted (private networks too; ' +
      'anywhere with ACCEPT_RELAXATIONS=EGRESS_HTTP=accepted)',
    options: ['loopback', 'accepted'],
    default: 'loopback',
  }),
  EGRESS_ALLOWED: text({
    about:
      'host names, addresses and ranges, separated by commas, that requests may go to although they ' +
      'are private or link-local: 10.20.0.0/16,fsp.internal',
    default: '',
  }),
  EGRESS_DENIED: text({
    about:
      'addresses and ranges, separated by commas, that requests may never go to: 203.0.113.0/24',
    default: '',
  }),
  ACCEPT_RELAXATIONS: acceptRelaxations,
} as const

export interface EgressChoices {
  readonly FSP_HOST: string
  readonly EGRESS_LOOPBACK: 'auto' | 'allowed' | 'denied'
  readonly EGRESS_HTTP: 'loopback' | 'accepted'
  readonly EGRESS_ALLOWED: string
  readonly EGRESS_DENIED: string
  readonly ACCEPT_RELAXATIONS: string
}

export interface Egress {
  /**
   * Why no request may be sent there, as far as the text of the URL tells: its scheme, or an address in
   * place of a name.
   */
  faultOf(url: URL): string | undefined
  /** The same, with what the name resolves to now; a name that cannot be resolved in time has no fault. */
  faultNow(url: URL): Promise<string | undefined>
  /** Resolves names for connections over this scheme; fails for one that has a denied address. */
  lookupFor(protocol: string): LookupFunction
}

const loopback = listOf(['127.0.0.0/8', '::1'])

/** Of clouds: they give credentials to every caller, so no setting allows them. */
const metadata = listOf([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
])

/** No FSP on the internet has one of these; `EGRESS_ALLOWED` names those of a private network. */
const special = listOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
  // Also addresses that contain one of IPv4: compatible, translated (NAT64), Teredo, 6to4.
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2001::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
])

const loopbackName = /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/
const lookup_ms_max = 1_000

export type Resolve = (
  name: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * @param isSole whether all services are this one process
 * @param resolve how names are resolved
 *
 * Throws StartError for a list that cannot be read, and for EGRESS_LOOPBACK=allowed beside a public port.
 */
export function openEgress(
  choices: EgressChoices,
  isSole: boolean,
  resolve: Resolve = lookup,
): Egress {
  const { FSP_HOST, EGRESS_LOOPBACK, EGRESS_HTTP, EGRESS_ALLOWED, EGRESS_DENIED } = choices
  const isLocal = loopbackName.test(FSP_HOST)
  if (EGRESS_LOOPBACK === 'allowed' && !isLocal) {
    throw new StartError(
      `EGRESS_LOOPBACK=allowed is refused with FSP_HOST=${FSP_HOST}: FSPs elsewhere could make the hub call services of its own machine.`,
    )
  }
  const rules: Rules = {
    loopback: EGRESS_LOOPBACK === 'allowed' || (EGRESS_LOOPBACK === 'auto' && isLocal && isSole),
    plainHttp: EGRESS_HTTP === 'accepted',
    publicHttp: acceptedIn(choices.ACCEPT_RELAXATIONS).has('EGRESS_HTTP=accepted'),
    allowedNames: new Set(entriesOf(EGRESS_ALLOWED).filter((entry) => !isRange(entry))),
    allowed: readRanges('EGRESS_ALLOWED', entriesOf(EGRESS_ALLOWED).filter(isRange)),
    denied: readRanges('EGRESS_DENIED', entriesOf(EGRESS_DENIED)),
  }
  return {
    faultOf: (url) => faultInText(url, rules),
    async faultNow(url) {
      const fault = faultInText(url, rules)
      if (fault !== undefined || isIP(hostOf(url)) !== 0) return fault
      const { protocol } = url
      const name = hostOf(url)
      return faultOfAny(await resolved(name, resolve), { protocol, name }, rules)
    },
    lookupFor: (protocol) => checkedLookup(protocol, rules, resolve),
  }
}

/** What the settings relax, for the start, the metrics and readiness. */
export function egressModes({
  EGRESS_LOOPBACK,
  EGRESS_HTTP,
  EGRESS_ALLOWED,
}: EgressChoices): readonly InsecureMode[] {
  return [
    ...(EGRESS_LOOPBACK === 'allowed' ? [{ mode: 'EGRESS_LOOPBACK=allowed' } as const] : []),
    ...(EGRESS_HTTP === 'accepted' ? [{ mode: 'EGRESS_HTTP=accepted' } as const] : []),
    ...(EGRESS_ALLOWED === '' ? [] : [{ mode: 'EGRESS_ALLOWED', detail: EGRESS_ALLOWED } as const]),
  ]
}

interface Rules {
  readonly loopback: boolean
  readonly plainHttp: boolean
  /** Whether plain http may also go to public addresses. */
  readonly publicHttp: boolean
  readonly allowedNames: ReadonlySet<string>
  readonly allowed: BlockList
  readonly denied: BlockList
}

interface Target {
  readonly protocol: string
  /** The name that the address belongs to; an address in place of a name is its own. */
  readonly name: string
}

function faultInText(url: URL, rules: Rules): string | undefined {
  const { protocol } = url
  const name = hostOf(url)
  if (protocol !== 'https:' && protocol !== 'http:') return `${protocol} is neither https nor http`
  if (url.username !== '' || url.password !== '') return 'the address holds a user or a password'
  if (url.hash !== '') return 'the address has a fragment, which is never sent'
  if (url.port === '0') return 'the address names port 0'
  if (isIP(name) !== 0) return faultOfAny([name], { protocol, name }, rules)
  return protocol === 'http:' && !rules.plainHttp && !rules.loopback ? needsHttps : undefined
}

const needsHttps = 'plain http is not accepted (EGRESS_HTTP)'
const needsHttpsInPublic =
  'plain http to a public address is not accepted (ACCEPT_RELAXATIONS=EGRESS_HTTP=accepted)'

/** One denied address is enough: which one is connected to is decided later. */
function faultOfAny(addresses: readonly string[], target: Target, rules: Rules) {
  for (const address of addresses) {
    const fault = faultOfAddress(address, target, rules)
    if (fault !== undefined) return fault
  }
  return undefined
}

function faultOfAddress(address: string, { protocol, name }: Target, rules: Rules) {
  const denied = `${address === name ? address : `${name} (${address})`} may not be called`
  if (isIn(metadata, address)) return `${denied}: it is a metadata service`
  if (isIn(rules.denied, address)) return `${denied} (EGRESS_DENIED)`
  const isLoopback = isIn(loopback, address)
  if (protocol === 'http:' && !rules.plainHttp && !(isLoopback && rules.loopback)) return needsHttps
  if (isLoopback)
    return rules.loopback ? undefined : `${denied}: it is this machine (EGRESS_LOOPBACK)`
  if (!isIn(special, address)) {
    return protocol === 'http:' && !rules.publicHttp ? needsHttpsInPublic : undefined
  }
  return rules.allowedNames.has(name) || isIn(rules.allowed, address)
    ? undefined
    : `${denied}: it is not a public address (EGRESS_ALLOWED)`
}

/** An address of IPv4 in the notation of IPv6 (::ffff:127.0.0.1) counts as that address. */
function isIn(list: BlockList, address: string): boolean {
  const [withoutZone = ''] = address.split('%')
  const family = isIP(withoutZone)
  if (family === 0) return false
  return list.check(withoutZone, family === 6 ? 'ipv6' : 'ipv4')
}

function checkedLookup(protocol: string, rules: Rules, resolve: Resolve): LookupFunction {
  return (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, [], undefined)
        return
      }
      const addresses = found.map(({ address }) => address)
      const fault = faultOfAny(addresses, { protocol, name: name.toLowerCase() }, rules)
      const [first] = found
      if (fault !== undefined || first === undefined) {
        callback(new HttpFailure('DENIED', fault ?? `${name} has no address`), [], undefined)
      } else if (options.all === true) {
        callback(null, found)
      } else {
        callback(null, first.address, first.family)
      }
    })
  }
}

/** Empty: it has none, or the answer takes too long. */
function resolved(name: string, resolve: Resolve): Promise<readonly string[]> {
  return new Promise((done) => {
    const timer = setTimeout(() => done([]), lookup_ms_max)
    resolve(name, { all: true }, (error, found) => {
      clearTimeout(timer)
      done(error === null ? found.map(({ address }) => address) : [])
    })
  })
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()
}

function entriesOf(list: string): readonly string[] {
  return listIn(list.toLowerCase())
}

function isRange(entry: string): boolean {
  return isIP(entry.replace(/\/\d+$/, '')) !== 0
}

function readRanges(setting: string, entries: readonly string[]): BlockList {
  const wrong = entries.find((entry) => !isRange(entry))
  try {
    if (wrong === undefined) return listOf(entries)
  } catch {
    // A prefix that is too long.
  }
  throw new StartError(`${setting}: ${wrong ?? entries.join(',')} is no address and no range.`)
}

function listOf(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}
