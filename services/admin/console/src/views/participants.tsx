/** The participants: readiness, and positions against their limits. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { call } from '../api.ts'
import { participantPath } from '../domain/address.ts'
import { barOf, coverText, type Cover } from '../domain/amounts.ts'
import type { Participant, Readiness } from '../generated/operator-api.ts'
import { Card, Loaded, Page, State, Table } from '../ui.tsx'
import { Onboarding } from './participants/onboarding.tsx'

const refetchInterval = 5_000

export const useParticipants = () =>
  useQuery({
    queryKey: ['participants'],
    queryFn: () => call('GET /participants'),
    refetchInterval: 15_000,
  })

export const readinessQuery = (name: string) => ({
  queryKey: ['readiness', name],
  queryFn: () => call('GET /participants/{name}/readiness', { name }),
  refetchInterval: 15_000,
})

export const balancesQuery = (name: string) => ({
  queryKey: ['accounts', name],
  queryFn: () => call('GET /participants/{name}/accounts', { name }),
  refetchInterval,
})

const coverQuery = (participantId: string, currency: string) => ({
  queryKey: ['cover', participantId, currency],
  queryFn: () => call('GET /GetLiquidityCoverCurrentState', { participantId, currency }),
  refetchInterval,
})

export function isHub({ type }: Participant): boolean {
  return type === 'HUB'
}

/** FSPs and PISPs: neither the hub nor its auth service, which are not onboarded. */
export function fspsOf(all: readonly Participant[]): readonly Participant[] {
  return all.filter(({ type }) => type !== 'HUB' && type !== 'AUTH_SERVICE')
}

export function FspLink({ name }: { name: string }) {
  return <Link href={participantPath(name)}>{name}</Link>
}

export function Participants() {
  const participants = useParticipants()
  return (
    <Page title="Participants">
      <Loaded query={participants}>
        {(all) => (
          <>
            <Legend />
            <Some of={fspsOf(all)}>{(some) => <ParticipantTable participants={some} />}</Some>
            <Onboarding participants={all} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function ParticipantTable({ participants }: { participants: readonly Participant[] }) {
  const readiness = useQueries({ queries: participants.map(({ name }) => readinessQuery(name)) })
  return (
    <Table
      caption="FSPs of the scheme"
      head={['Name', 'State', 'Readiness', 'Position, limit and cover']}
      empty="No FSP has joined yet."
      rows={participants.map((participant, at) => {
        const { name, isActive } = participant
        return {
          key: name,
          cells: [
            <FspLink key="name" name={name} />,
            <State key="state" state={isActive === 1 ? 'ACTIVE' : 'INACTIVE'} />,
            <Readiness key="readiness" of={readiness[at]?.data} />,
            <Bars key="bars" participant={participant} />,
          ],
        }
      })}
    />
  )
}

/** The readiness, and how many items are missing. */
function Readiness({ of }: { of: Readiness | undefined }) {
  if (of === undefined) return '…'
  if (of.ready) return <State state="READY" />
  return (
    <>
      <State state="NOT READY" /> {of.items.filter(({ ok }) => !ok).length} missing
    </>
  )
}

/** One bar per currency, from the figures that the ledger checks payments against. */
export function Bars({ participant: { name, accounts } }: { participant: Participant }) {
  const currencies = accounts
    .filter(({ ledgerAccountType }) => ledgerAccountType === 'POSITION')
    .map(({ currency }) => currency)
  const covers = useQueries({ queries: currencies.map((currency) => coverQuery(name, currency)) })
  if (currencies.length === 0) return 'no account'
  return currencies.map((currency, at) => {
    const cover = covers[at]?.data
    return cover === undefined ? (
      <p key={currency}>{covers[at]?.isError === true ? `${currency}: not known` : '…'}</p>
    ) : (
      <PositionBar key={currency} currency={currency} cover={cover} />
    )
  })
}

function PositionBar({ currency, cover }: { currency: string; cover: Cover }) {
  const bar = barOf(cover)
  const level = bar.usedPercent >= 90 ? 'full' : bar.usedPercent >= 70 ? 'high' : 'low'
  const text = `${currency}: ${coverText(cover, currency)}`
  return (
    <figure className="bar">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={text}>
        <rect className="cover" x="0" y="1" width={bar.cover} height="8" />
        <rect className={`used ${level}`} x="0" y="3" width={bar.used} height="4" />
        <rect className="track" x="0" y="1" width="100" height="8" />
        {cover.netDebitCap !== null && (
          <line className="cap" x1={bar.cap} x2={bar.cap} y1="0" y2="10" />
        )}
      </svg>
      <figcaption>
        {text}
        {cover.netDebitCap !== null &&
          (bar.usedPercent >= 100 ? ' – limit reached' : ` – ${bar.usedPercent} % used`)}
      </figcaption>
    </figure>
  )
}

export function Legend() {
  return (
    <p className="legend" aria-hidden="true">
      <span className="owed">owed and reserved</span>
      <span className="limit">limit</span>
      <span>cover</span>
    </p>
  )
}

/** The bars of all participants, without the rest. */
export function Positions() {
  const participants = useParticipants()
  return (
    <Card title="Positions against limits and cover">
      <Legend />
      <Loaded query={participants}>
        {(all) => (
          <Some of={fspsOf(all)}>
            {(some) => (
              <ul className="states">
                {some.map((participant) => (
                  <li key={participant.name}>
                    <FspLink name={participant.name} />
                    <Bars participant={participant} />
                  </li>
                ))}
              </ul>
            )}
          </Some>
        )}
      </Loaded>
    </Card>
  )
}

const shown_max = 50

/** Each visible participant is queried every few seconds, so a large scheme is shown in parts. */
function Some({
  of,
  children,
}: {
  of: readonly Participant[]
  children: (some: readonly Participant[]) => ReactNode
}) {
  const [part, setPart] = useState('')
  if (of.length === 0) return <p className="empty">No FSP has joined yet.</p>
  const found = of.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()))
  return (
    <>
      {of.length > shown_max && (
        <p>
          <label>
            Filter by name{' '}
            <input type="search" value={part} onChange={(event) => setPart(event.target.value)} />
          </label>{' '}
          {found.length > shown_max && `the first ${shown_max} of ${found.length} are shown`}
        </p>
      )}
      {found.length === 0 ? (
        <p className="empty">No participant matches.</p>
      ) : (
        children(found.slice(0, shown_max))
      )}
    </>
  )
}
