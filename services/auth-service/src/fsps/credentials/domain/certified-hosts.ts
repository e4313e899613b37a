/**
 * Which hosts a certificate may name. With it an FSP could impersonate them, so only the hosts of
 * its registered endpoints are allowed, and the names by which a machine addresses itself.
 */
import { refuse, type RefusedCommand } from '../../../domain/refusal.ts'

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/

/** Refuses the first requested name that the FSP may not have. */
export function foreignHost(
  asked: { readonly dns: readonly string[]; readonly ip: readonly string[] },
  own: ReadonlySet<string>,
): RefusedCommand | undefined {
  const foreign = [...asked.dns, ...asked.ip].find((host) => !own.has(host) && !loopback.test(host))
  if (foreign === undefined) return undefined
  return refuse(
    'INVALID',
    `csr: ${foreign} is not a host of the FSP's endpoints: register the endpoint, or request no names`,
  )
}
