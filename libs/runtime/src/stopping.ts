/** How a process that is being stopped says so to those that would open something anew. */
import { Outage } from './outage.ts'

/**
 * Nothing is opened any more. To work under way it is an outage like any other, for another process may
 * do it; who keeps something open gives up, for in this process no try will ever succeed.
 */
export class ProcessStopping extends Outage {
  override readonly name = 'ProcessStopping'

  constructor() {
    super('the process is being stopped')
  }
}
