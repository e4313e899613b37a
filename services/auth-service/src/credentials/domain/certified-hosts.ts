/**
 * Which hosts a certificate may name: with it an FSP could pass for them, so only those at which the
 * FSP is reached already, and those that mean the FSP's own machine to itself and nobody elsewhere.
 */
import { refuse, type Refused } from '../../domain/refusal.ts'

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/

/** The first name that is asked for and that the FSP may not have. */
export function foreignHost(
  asked: { readonly dns: readonly string[]; readonly ip: readonly string[] },
  own: ReadonlySet<string>,
): Refused | undefined {
  const foreign = [...asked.dns, ...asked.ip].find((host) => !own.has(host) && !loopback.test(host))
  if (foreign === undefined) return undefined
  return refuse(
    'INVALID',
    `csr: ${foreign} is no host of the FSP's endpoints: register them, or ask for no names`,
  )
}
