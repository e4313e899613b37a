/** Where the simulation keeps what it makes once. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../', import.meta.url))
export const cache = join(root, 'node_modules/.cache/simulation')
