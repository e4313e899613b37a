/** The network of a client: what one client cannot leave by choosing another address. */
import { isIPv6 } from 'node:net'

const mapped = '::ffff:'

/** An IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  const lower = address.toLowerCase()
  if (lower.startsWith(mapped) && lower.includes('.')) return lower.slice(mapped.length)
  if (!isIPv6(lower)) return lower.slice(0, 64)
  return `${groupsOf(lower).slice(0, 4).join(':')}::/64`
}

/** All eight groups, without leading zeros. */
function groupsOf(address: string): readonly string[] {
  const zone = address.indexOf('%')
  const [head = '', tail] = (zone < 0 ? address : address.slice(0, zone)).split('::')
  const split = (part: string) => (part === '' ? [] : part.split(':'))
  const [first, last] = [split(head), split(tail ?? '')]
  const filled = tail === undefined ? 0 : 8 - first.length - last.length
  return [...first, ...Array<string>(Math.max(0, filled)).fill('0'), ...last].map((group) =>
    Number.parseInt(group, 16).toString(16),
  )
}
