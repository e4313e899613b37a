/** Writes EVENTS.md next to the catalogue. */
import { writeFileSync } from 'node:fs'
import { eventsPage } from './docs.ts'

writeFileSync(new URL('../EVENTS.md', import.meta.url), eventsPage())
