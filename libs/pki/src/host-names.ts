/** The host names of a server in a certificate. RFC 5280 4.2.1.6. */
import {
  Extension,
  GeneralName,
  id_ce_subjectAltName,
  SubjectAlternativeName,
} from '@peculiar/asn1-x509'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import { isIP } from 'node:net'
import { arrayBuffer, serialized } from './der.ts'

export interface HostNames {
  /** Lower case; no wildcards. */
  readonly dns: readonly string[]
  /** IPv4 or IPv6. */
  readonly ip: readonly string[]
}

export const noHostNames: HostNames = { dns: [], ip: [] }

const label = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?'
const dnsName = new RegExp(`^(?=.{1,253}$)${label}(\\.${label})*$`)

export function isEmpty({ dns, ip }: HostNames): boolean {
  return dns.length === 0 && ip.length === 0
}

/** The extension with the names; throws RangeError for an invalid host name or address. */
export function extensionOf({ dns, ip }: HostNames): Extension {
  for (const name of dns)
    if (!dnsName.test(name)) throw new RangeError(`${name} is not a host name`)
  for (const address of ip) {
    if (isIP(address) === 0) throw new RangeError(`${address} is not an IP address`)
  }
  const names = new SubjectAlternativeName([
    ...dns.map((name) => new GeneralName({ dNSName: name })),
    ...ip.map((address) => new GeneralName({ iPAddress: address })),
  ])
  return new Extension({
    extnID: id_ce_subjectAltName,
    extnValue: new OctetString(arrayBuffer(serialized(names))),
  })
}

/**
 * The host names in a list of extensions; names of other kinds are left out, a wildcard is a fault.
 */
export function hostNamesIn(
  extensions: readonly Extension[],
): HostNames | { readonly fault: string } {
  const extension = extensions.find(({ extnID }) => extnID === id_ce_subjectAltName)
  if (extension === undefined) return noHostNames
  const names = AsnConvert.parse(extension.extnValue.buffer, SubjectAlternativeName)
  // A plain array: methods of the parsed list return ASN.1 structures again.
  const all = [...names]
  const dns = all.flatMap(({ dNSName }) => (dNSName === undefined ? [] : [dNSName.toLowerCase()]))
  const ip = all.flatMap(({ iPAddress }) => (iPAddress === undefined ? [] : [iPAddress]))
  const odd = dns.find((name) => !dnsName.test(name)) ?? ip.find((address) => isIP(address) === 0)
  return odd === undefined
    ? { dns, ip }
    : { fault: `${odd.slice(0, 64)} is not the name of one host` }
}
