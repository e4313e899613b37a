/** Log-in, navigation, and the views. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, Route, Router, Switch, useLocation } from 'wouter'
import { useHashLocation } from 'wouter/use-hash-location'
import { accessQuery, logOut, useOperator } from './access.ts'
import { Loading, Page, Problem } from './ui.tsx'
import { Alarms } from './views/participants/alarms.tsx'
import { Approvals } from './views/access/approvals.tsx'
import { Audit } from './views/access/audit.tsx'
import { BulkQuotePage } from './views/payments/bulk-quote.tsx'
import { BulkQuotes } from './views/payments/bulk-quotes.tsx'
import { BulkTransferPage } from './views/payments/bulk-transfer.tsx'
import { BulkTransfers } from './views/payments/bulk-transfers.tsx'
import { CertificationPage } from './views/participants/certifications.tsx'
import { ComponentKeys } from './views/platform/component-keys.tsx'
import { Configuration } from './views/platform/configuration.tsx'
import { ConsentPage } from './views/payments/consent.tsx'
import { Consents } from './views/payments/consents.tsx'
import { CryptoKeys } from './views/platform/crypto-keys.tsx'
import { DeadLetters } from './views/platform/dead-letters.tsx'
import { Erasures } from './views/platform/erasures.tsx'
import { LogIn } from './views/access/log-in.tsx'
import { Log } from './views/platform/log.tsx'
import { Operators } from './views/access/operators.tsx'
import { Overview } from './views/platform/overview.tsx'
import { ParticipantPage } from './views/participants/participant.tsx'
import { Participants } from './views/participants.tsx'
import { Payments } from './views/payments/payments.tsx'
import { Reports } from './views/settlements/reports.tsx'
import { SettlementPage } from './views/settlements/settlement.tsx'
import { SecurityKeys } from './views/access/security-keys.tsx'
import { OperatorSessions } from './views/access/sessions.tsx'
import { Settlements } from './views/settlements/settlements.tsx'
import { RequestStoryPage, StoryPage } from './views/payments/story.tsx'
import { ThirdPartyPayments } from './views/payments/third-party-payments.tsx'

export function App() {
  const access = useQuery(accessQuery)
  if (access.data !== undefined) return access.data.state === 'OUT' ? <LogIn /> : <Inside />
  if (!access.isError) {
    return (
      <main>
        <Loading />
      </main>
    )
  }
  return (
    <main>
      <h1>Causeway</h1>
      <Problem error={access.error} />
      <button type="button" onClick={() => void access.refetch()}>
        Try again
      </button>
    </main>
  )
}

function Inside() {
  return (
    <Router hook={useHashLocation}>
      <a className="skip" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <Header />
      <main id="main" tabIndex={-1}>
        <Views />
      </main>
    </Router>
  )
}

function Views() {
  return (
    <Switch>
      <Route path="/" component={Overview} />
      <Route path="/participants" component={Participants} />
      <Route path="/participants/:name/certifications/:id">
        {({ name, id }) => <CertificationPage key={`${name} ${id}`} name={name} id={id} />}
      </Route>
      <Route path="/participants/:name/*?">
        {({ name }) => <ParticipantPage key={name} name={name} />}
      </Route>
      <Route path="/payments" component={Payments} />
      <Route path="/payments/of/:search" component={Payments} />
      <Route path="/payments/:transferId">
        {({ transferId }) => (
          <StoryPage key={transferId} transferId={decodeURIComponent(transferId)} />
        )}
      </Route>
      <Route path="/bulk-quotes" component={BulkQuotes} />
      <Route path="/bulk-quotes/of/:search" component={BulkQuotes} />
      <Route path="/bulk-quotes/:bulkQuoteId">
        {({ bulkQuoteId }) => (
          <BulkQuotePage key={bulkQuoteId} bulkQuoteId={decodeURIComponent(bulkQuoteId)} />
        )}
      </Route>
      <Route path="/bulk-transfers" component={BulkTransfers} />
      <Route path="/bulk-transfers/of/:search" component={BulkTransfers} />
      <Route path="/bulk-transfers/:bulkTransferId">
        {({ bulkTransferId }) => (
          <BulkTransferPage
            key={bulkTransferId}
            bulkTransferId={decodeURIComponent(bulkTransferId)}
          />
        )}
      </Route>
      <Route path="/consents" component={Consents} />
      <Route path="/consents/of/:search" component={Consents} />
      <Route path="/consents/:consentId">
        {({ consentId }) => (
          <ConsentPage key={consentId} consentId={decodeURIComponent(consentId)} />
        )}
      </Route>
      <Route path="/third-party" component={ThirdPartyPayments} />
      <Route path="/third-party/of/:search" component={ThirdPartyPayments} />
      <Route path="/third-party/:transactionRequestId">
        {({ transactionRequestId: id }) => (
          <RequestStoryPage key={id} transactionRequestId={decodeURIComponent(id)} />
        )}
      </Route>
      <Route path="/settlements" component={Settlements} />
      <Route path="/settlements/:id">{({ id }) => <SettlementPage key={id} id={id} />}</Route>
      <Route path="/reports" component={Reports} />
      <Route path="/approvals" component={Approvals} />
      <Route path="/configuration" component={Configuration} />
      <Route path="/keys" component={CryptoKeys} />
      <Route path="/component-keys" component={ComponentKeys} />
      <Route path="/dead-letters" component={DeadLetters} />
      <Route path="/erasures" component={Erasures} />
      <Route path="/alarms" component={Alarms} />
      <Route path="/operators" component={Operators} />
      <Route path="/sessions/:of">{({ of }) => <OperatorSessions key={of} of={of} />}</Route>
      <Route path="/security-keys" component={SecurityKeys} />
      <Route path="/audit" component={Audit} />
      <Route path="/audit/of/:search" component={Audit} />
      <Route path="/log" component={Log} />
      <Route path="/log/of/:search" component={Log} />
      <Route component={PageNotFound} />
    </Switch>
  )
}

function PageNotFound() {
  return (
    <Page title="Page not found">
      <p>
        This page does not exist. <Link href="/">Go to the overview</Link>
      </p>
    </Page>
  )
}

/** The fragment of the address selects the view; a link within the page must not change it. */
function focusMain(event: { preventDefault(): void }) {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

/** With the privilege that the view requires. */
const ways = [
  ['/', 'Overview', ''],
  ['/participants', 'Participants', 'VIEW_PARTICIPANTS'],
  ['/payments', 'Payments', 'VIEW_TRANSFERS'],
  ['/bulk-quotes', 'Bulk quotes', 'VIEW_TRANSFERS'],
  ['/bulk-transfers', 'Bulk transfers', 'VIEW_TRANSFERS'],
  ['/third-party', 'Third-party payments', 'VIEW_TRANSFERS'],
  ['/consents', 'Consents', 'VIEW_CONSENTS'],
  ['/settlements', 'Settlement', 'VIEW_SETTLEMENTS'],
  ['/reports', 'Reports', 'VIEW_REPORTS'],
  ['/approvals', 'Approvals', 'VIEW_PENDING'],
  ['/configuration', 'Configuration', 'VIEW_CONFIGURATION'],
  ['/keys', 'Keys', 'VIEW_KMS_KEYS'],
  ['/component-keys', 'Component keys', 'VIEW_COMPONENT_KEYS'],
  ['/dead-letters', 'Failed deliveries', 'VIEW_DELIVERIES'],
  ['/alarms', 'Alarms', 'VIEW_PARTICIPANTS'],
  ['/operators', 'Operators', 'VIEW_OPERATORS'],
  ['/audit', 'Audit', 'VIEW_AUDIT'],
  ['/log', 'Log', 'VIEW_LOG'],
] as const

function Header() {
  const [location] = useLocation()
  const [isOpen, setOpen] = useState(false)
  const { name, may } = useOperator()
  useEffect(() => setOpen(false), [location])
  return (
    <header>
      <strong className="brand">Causeway</strong>
      {/* Only on a phone; elsewhere the navigation is always open. */}
      <button
        type="button"
        className="menu"
        aria-expanded={isOpen}
        aria-controls="ways"
        onClick={() => setOpen(!isOpen)}
      >
        Menu
      </button>
      <nav id="ways" aria-label="Views" className={isOpen ? 'open' : ''}>
        <ul>
          {ways
            .filter(([, , privilege]) => privilege === '' || may(privilege))
            .map(([path, label]) => {
              const isHere = path === '/' ? location === '/' : location.startsWith(path)
              return (
                <li key={path}>
                  <Link href={path} aria-current={isHere ? 'page' : undefined}>
                    {label}
                  </Link>
                </li>
              )
            })}
        </ul>
      </nav>
      {name !== undefined && (
        <span className="who">
          <Link href="/security-keys">
            {name}
            <span className="unseen">: security keys and sessions</span>
          </Link>{' '}
          <button type="button" onClick={() => void logOut()}>
            Log out
          </button>
        </span>
      )}
    </header>
  )
}
