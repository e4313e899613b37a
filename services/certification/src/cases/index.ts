import type { Case } from '../case.ts'
import { bodies } from './bodies.ts'
import { bulk } from './bulk.ts'
import { dfsp } from './dfsp.ts'
import { encryption } from './encryption.ts'
import { payee } from './payee.ts'
import { payer } from './payer.ts'
import { pisp } from './pisp.ts'
import { repeats } from './repeats.ts'
import { requests } from './requests.ts'
import { reservations } from './reservations.ts'
import { retries } from './retries.ts'
import { server } from './server.ts'
import { signatures } from './signatures.ts'

/** The cases by subject, in the order of a report. */
export const subjects: readonly (readonly Case[])[] = [
  retries,
  payer,
  payee,
  reservations,
  repeats,
  requests,
  server,
  bodies,
  signatures,
  encryption,
  bulk,
  dfsp,
  pisp,
]

export const cases: readonly Case[] = subjects.flat()
