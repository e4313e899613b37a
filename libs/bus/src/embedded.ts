/** The event bus of a hub in one process: a log in its PostgreSQL. */
export { openEmbeddedBus, sharedLog } from './embedded/open.ts'
