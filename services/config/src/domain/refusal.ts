/** Why config refuses a command. */
import { refuse, type RefusedBy } from '@causeway/services'

export { refuse }

export type RefusedConfiguration = RefusedBy<'config'>
