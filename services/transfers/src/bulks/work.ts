/** What the steps of bulks work with. */
import type { BatchContext } from '@causeway/bus'
import type { Work } from '../work.ts'

/** Between two slices single transfers go first. */
export interface BulkWork extends Work, Pick<BatchContext, 'giveWay'> {}
