/** The error of a process that is being stopped for callers that would open something. */
import { Outage } from './outage.ts'

/**
 * Nothing is opened any more. To work under way it is an outage like any other, for another process
 * may do it; a part that keeps something open stops trying, for in this process no try will ever
 * succeed.
 */
export class ProcessStopping extends Outage {
  override readonly name = 'ProcessStopping'

  constructor() {
    super('the process is being stopped')
  }
}
