import type { Case } from '../case.ts'
import { bulk } from './bulk.ts'
import { payee } from './payee.ts'
import { payer } from './payer.ts'
import { repeats } from './repeats.ts'
import { retries } from './retries.ts'
import { server } from './server.ts'

/** All cases, in the order of a report. */
export const cases: readonly Case[] = [...retries, ...payer, ...payee, ...repeats, ...server, ...bulk]
