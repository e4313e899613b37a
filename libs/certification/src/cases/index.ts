import type { Case } from '../case.ts'
import { retries } from './retries.ts'

/** All cases, in the order of a report. */
export const cases: readonly Case[] = [...retries]
