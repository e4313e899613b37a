/** What the steps of bulks work with. */
import type { BatchContext } from '@causeway/bus'
import type { Deps } from '../deps.ts'

/** Between two slices single transfers go first. */
export interface BulkDeps extends Deps, Pick<BatchContext, 'giveWay'> {}
