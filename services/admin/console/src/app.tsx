/** Log-in, the ways between the views, and the views. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Route, Router, Switch, useLocation } from 'wouter'
import { useHashLocation } from 'wouter/use-hash-location'
import { call, get, Refusal, session } from './api.ts'
import { Page, Problem } from './ui.tsx'
import { Approvals } from './views/approvals.tsx'
import { DeadLetters } from './views/dead-letters.tsx'
import { LogIn } from './views/log-in.tsx'
import { Overview } from './views/overview.tsx'
import { ParticipantPage } from './views/participant.tsx'
import { Participants } from './views/participants.tsx'
import { Payments } from './views/payments.tsx'
import { Settlements } from './views/settlements.tsx'
import { StoryPage } from './views/story.tsx'

/** Whether the API lets this browser in: asked by a read that everybody may make. */
export const accessQuery = {
  queryKey: ['access'],
  queryFn: async () => {
    try {
      await get('/participants')
      return 'in' as const
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) return 'out' as const
      throw error
    }
  },
}

export function App() {
  const access = useQuery({ ...accessQuery, refetchInterval: 30_000 })
  if (access.isPending) return <p role="status">Loading…</p>
  if (access.data === undefined) {
    return <main>{access.error !== null && <Problem error={access.error} />}</main>
  }
  return access.data === 'out' ? <LogIn /> : <Inside />
}

function Inside() {
  return (
    <Router hook={useHashLocation}>
      <a className="skip" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <Header />
      <main id="main" tabIndex={-1}>
        <Switch>
          <Route path="/" component={Overview} />
          <Route path="/participants" component={Participants} />
          <Route path="/participants/:name">
            {({ name }) => <ParticipantPage key={name} name={decodeURIComponent(name)} />}
          </Route>
          <Route path="/payments" component={Payments} />
          <Route path="/payments/:transferId">
            {({ transferId }) => <StoryPage key={transferId} transferId={transferId} />}
          </Route>
          <Route path="/settlements" component={Settlements} />
          <Route path="/approvals" component={Approvals} />
          <Route path="/dead-letters" component={DeadLetters} />
          <Route>
            <Page title="Not here">
              <p>There is no such page.</p>
            </Page>
          </Route>
        </Switch>
      </main>
    </Router>
  )
}

/** The address after # is the view's; a jump within the page must leave it alone. */
function focusMain(event: { preventDefault(): void }) {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

const ways = [
  ['/', 'Overview'],
  ['/participants', 'Participants'],
  ['/payments', 'Payments'],
  ['/settlements', 'Settlement'],
  ['/approvals', 'Approvals'],
  ['/dead-letters', 'Failed deliveries'],
] as const

function Header() {
  const [location] = useLocation()
  const client = useQueryClient()
  const logOut = async () => {
    await call('POST', '/app-log-out', {}).catch(() => undefined)
    session.end()
    client.clear()
    location.endsWith('/') || window.location.assign('#/')
    await client.invalidateQueries()
    window.location.reload()
  }
  return (
    <header>
      <strong>Causeway</strong>
      <nav aria-label="Views">
        <ul>
          {ways.map(([path, name]) => {
            const isHere = path === '/' ? location === '/' : location.startsWith(path)
            return (
              <li key={path}>
                <Link href={path} aria-current={isHere ? 'page' : undefined}>
                  {name}
                </Link>
              </li>
            )
          })}
        </ul>
      </nav>
      {session.token() !== null && (
        <button type="button" onClick={() => void logOut()}>
          Log out
        </button>
      )}
    </header>
  )
}
