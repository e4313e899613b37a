/** Why participant-lifecycle refuses a command of an operator. */
import type { RefusedBy } from '@causeway/services'

export type RefusedChange = RefusedBy<'participant-lifecycle'>
