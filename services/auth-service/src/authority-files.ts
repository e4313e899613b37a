/** Certificates of authorities in a file: at least one, and nothing that cannot be read. */
import { X509Certificate } from 'node:crypto'
import { readPem, StartError } from '@causeway/process'

/**
 * Throws StartError, which names the setting, for a file without certificates.
 *
 * @param file undefined: none
 */
export async function authoritiesIn(
  setting: string,
  file: string | undefined,
): Promise<readonly X509Certificate[]> {
  if (file === undefined) return []
  const pem = await readPem(setting, file)
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new StartError(`${setting} contains no certificate in PEM.`)
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch (error) {
    throw new StartError(`${setting} cannot be read: ${(error as Error).message}.`)
  }
}
