import type { Case } from '../case.ts'
import { bulk } from './bulk.ts'
import { dfsp } from './dfsp.ts'
import { forms } from './forms.ts'
import { payee } from './payee.ts'
import { payer } from './payer.ts'
import { pisp } from './pisp.ts'
import { repeats } from './repeats.ts'
import { requests } from './requests.ts'
import { reservations } from './reservations.ts'
import { retries } from './retries.ts'

/** All cases, in the order of a report. */
export const cases: readonly Case[] = [
  ...retries,
  ...payer,
  ...payee,
  ...reservations,
  ...repeats,
  ...requests,
  ...forms,
  ...bulk,
  ...dfsp,
  ...pisp,
]
