/** Log-in, the ways between the views, and the views. */
import { useQuery } from '@tanstack/react-query'
import { Link, Route, Router, Switch, useLocation } from 'wouter'
import { useHashLocation } from 'wouter/use-hash-location'
import { accessQuery, logOut } from './access.ts'
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

export function App() {
  const access = useQuery(accessQuery)
  if (access.data !== undefined) {
    return access.data.state === 'OUT' ? <LogIn /> : <Inside name={access.data.name} />
  }
  return (
    <main>{access.isError ? <Problem error={access.error} /> : <p role="status">Loading…</p>}</main>
  )
}

function Inside({ name }: { name: string | undefined }) {
  return (
    <Router hook={useHashLocation}>
      <a className="skip" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <Header name={name} />
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

function Header({ name }: { name: string | undefined }) {
  const [location] = useLocation()
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
      {name !== undefined && (
        <span>
          {name}{' '}
          <button type="button" onClick={() => void logOut()}>
            Log out
          </button>
        </span>
      )}
    </header>
  )
}
