/**
 * An address of the settings as a target of the gRPC library, which balances calls over all its
 * addresses.
 */
import { isIPv4 } from 'node:net'
import { StartError } from '@causeway/process'
import type { ChannelOptions } from '@grpc/grpc-js'

/** Each call is sent to the next replica that responds. */
export const balancing: ChannelOptions = {
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  'grpc.service_config_disable_resolution': 1,
  // A replica that has moved is found again as soon as its connection is lost.
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
}

/**
 * @param address `unix:/path`; `host:port`, of which every address that the name has is used; or
 * several IPv4 addresses with commas between
 */
export function targetOf(address: string): string {
  if (/^(unix|dns|ipv4|ipv6):/.test(address)) return address
  const addresses = address.split(',').map((each) => each.trim())
  const [first = '', ...more] = addresses
  const wrong = addresses.find((each) => !/^[^\s:/]+:\d{1,5}$|^\[[^\s\]]+\]:\d{1,5}$/.test(each))
  if (wrong !== undefined) {
    throw new StartError(`A gRPC address is host:port; '${wrong}' is not.`)
  }
  if (more.length === 0) return `dns:///${first}`
  const named = addresses.find((each) => !isIPv4(each.slice(0, each.lastIndexOf(':'))))
  if (named === undefined) return `ipv4:${addresses.join(',')}`
  throw new StartError(
    `A list of gRPC addresses holds IPv4 addresses alone, and '${named}' is none: give one name that has all of them.`,
  )
}
