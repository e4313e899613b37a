/** What an operator sees first: what goes on, what waits for somebody, who is close to its limit. */
import { Page } from '../ui.tsx'
import { Live } from './live.tsx'
import { Standing } from './participants.tsx'

export function Overview() {
  return (
    <Page title="Overview">
      <Live />
      <Standing />
    </Page>
  )
}
