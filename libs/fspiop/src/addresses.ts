/**
 * What is wrong with the address of a server or of a mailbox, as far as its text shows: nothing that is
 * sent to it can ever arrive. A fault is a phrase that follows the name of the address.
 */

const length_max = 1_024

/** Undefined for an absolute http or https address. */
export function webAddressFault(text: string): string | undefined {
  if (text.length > length_max) return `has more than ${length_max} characters`
  if (/[\s\p{Cc}\\]/u.test(text)) return 'contains white space or a backslash'
  if (!/^https?:\/\//i.test(text)) return 'begins with neither https:// nor http://'
  if (!/^https?:\/\/[^/?#]/i.test(text) || !URL.canParse(text)) return 'is no absolute address'
  if (text.includes('#')) return 'has a fragment (#), which is never sent'
  const [authority = ''] = text.slice(text.indexOf('//') + 2).split(/[/?]/, 1)
  if (authority.includes('@')) return 'contains a user or a password'
  const { hostname, port } = new URL(text)
  if (port === '0') return 'names port 0'
  return areLabels(hostname) ? undefined : 'names a host that cannot exist'
}

/** The same for an address to which paths are appended. */
export function baseAddressFault(text: string): string | undefined {
  const fault = webAddressFault(text)
  if (fault !== undefined) return fault
  return text.includes('?') ? 'has a query, but paths are appended to it' : undefined
}

/** Undefined for one mailbox, without a name beside it. RFC 5321, 4.1.2 and 4.5.3.1. */
export function mailAddressFault(text: string): string | undefined {
  if (text.length > 254 || !/^[^\s@,;<>"()\\]+@[^\s@,;<>"()\\]+$/.test(text)) {
    return 'must be one e-mail address'
  }
  const [local = '', domain = ''] = text.split('@')
  if (local.length > 64 || local.split('.').includes('')) return 'has a wrong part before the @'
  const isLiteral = /^\[[0-9A-Fa-f.:]+\]$/.test(domain)
  return isLiteral || areLabels(domain) ? undefined : 'names a host that cannot exist'
}

/** Of a host name, or an address in place of one. RFC 1035, 2.3.4. */
function areLabels(host: string): boolean {
  const name = host.endsWith('.') ? host.slice(0, -1) : host
  return name.split('.').every((label) => label.length >= 1 && label.length <= 63)
}
