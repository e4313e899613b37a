/** Who takes part: ready or not, and how much of what they may owe they owe now. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { get, query } from '../api.ts'
import { barOf, coverText, type Amount, type Cover } from '../domain/amounts.ts'
import { Card, Loaded, Money, Page, State, Table } from '../ui.tsx'
import { Onboarding } from './onboarding.tsx'

export interface Participant {
  readonly name: string
  readonly isActive: 0 | 1
  readonly accounts: readonly {
    readonly id: number
    readonly ledgerAccountType: string
    readonly currency: string
    readonly isActive: 0 | 1
  }[]
}

export interface Account {
  readonly id: number
  readonly ledgerAccountType: string
  readonly currency: string
  readonly isActive: 0 | 1
  readonly value: Amount
}

interface Readiness {
  readonly ready: boolean
  readonly items: readonly { readonly item: string; readonly ok: boolean; readonly text: string }[]
}

const refetchInterval = 5_000

export const useParticipants = () =>
  useQuery({ queryKey: ['participants'], queryFn: () => get<Participant[]>('/participants') })

export const readinessQuery = (name: string) => ({
  queryKey: ['readiness', name],
  queryFn: () => get<Readiness>(`/participants/${encodeURIComponent(name)}/readiness`),
})

export const accountsQuery = (name: string) => ({
  queryKey: ['accounts', name],
  queryFn: () => get<Account[]>(`/participants/${encodeURIComponent(name)}/accounts`),
  refetchInterval,
})

const coverQuery = (participantId: string, currency: string) => ({
  queryKey: ['cover', participantId, currency],
  queryFn: () => get<Cover>(`/GetLiquidityCoverCurrentState${query({ participantId, currency })}`),
  refetchInterval,
})

/** The hub owns accounts of its own kind; it is nobody's FSP. */
export function isHub({ accounts }: Participant): boolean {
  return accounts.some(({ ledgerAccountType }) => ledgerAccountType.startsWith('HUB_'))
}

export function Participants() {
  const participants = useParticipants()
  return (
    <Page title="Participants">
      <Loaded query={participants}>
        {(all) => (
          <Some of={all.filter((each) => !isHub(each))}>
            {(some) => <ParticipantTable participants={some} />}
          </Some>
        )}
      </Loaded>
      <Onboarding />
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
    >
      {participants.map((participant, at) => {
        const { name, isActive } = participant
        const data = readiness[at]?.data
        const missing = data?.items.filter(({ ok }) => !ok).length ?? 0
        return (
          <tr key={name}>
            <th scope="row">
              <Link href={`/participants/${encodeURIComponent(name)}`}>{name}</Link>
            </th>
            <td>
              <State state={isActive === 1 ? 'ACTIVE' : 'INACTIVE'} />
            </td>
            <td>
              {data === undefined ? (
                '…'
              ) : data.ready ? (
                <State state="READY" />
              ) : (
                <>
                  <State state="NOT READY" /> {missing} missing
                </>
              )}
            </td>
            <td>
              <Bars participant={participant} />
            </td>
          </tr>
        )
      })}
    </Table>
  )
}

/** One bar for each currency, of the very figures that the ledger holds payments against. */
export function Bars({ participant: { name, accounts } }: { participant: Participant }) {
  const currencies = accounts
    .filter(({ ledgerAccountType }) => ledgerAccountType === 'POSITION')
    .map(({ currency }) => currency)
  const covers = useQueries({ queries: currencies.map((currency) => coverQuery(name, currency)) })
  return currencies.map((currency, at) => {
    const cover = covers[at]?.data
    return cover === undefined ? null : (
      <PositionBar key={currency} currency={currency} cover={cover} />
    )
  })
}

function PositionBar({ currency, cover }: { currency: string; cover: Cover }) {
  const bar = barOf(cover)
  const level = bar.usedPercent >= 90 ? 'full' : bar.usedPercent >= 70 ? 'high' : 'low'
  const text = `${currency}: ${coverText(cover)}`
  return (
    <figure className="bar">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={text}>
        <rect className="cover" x="0" y="1" width={bar.cover} height="8" rx="1" />
        <rect className={`used ${level}`} x="0" y="3" width={bar.used} height="4" />
        {cover.netDebitCap !== null && (
          <line className="cap" x1={bar.cap} x2={bar.cap} y1="0" y2="10" />
        )}
      </svg>
      <figcaption aria-hidden="true">{text}</figcaption>
    </figure>
  )
}

/** Everybody's bars, without the rest. */
export function Standing() {
  const participants = useParticipants()
  return (
    <Card title="Positions against limits and cover">
      <Loaded query={participants}>
        {(all) => (
          <Some of={all.filter((each) => !isHub(each))}>
            {(some) => (
              <ul className="standing">
                {some.map((participant) => (
                  <li key={participant.name}>
                    <Link href={`/participants/${encodeURIComponent(participant.name)}`}>
                      {participant.name}
                    </Link>
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

/** Each one shown is asked about every few seconds, so of a large scheme a part is shown at a time. */
function Some({
  of,
  children,
}: {
  of: readonly Participant[]
  children: (some: readonly Participant[]) => ReactNode
}) {
  const [part, setPart] = useState('')
  if (of.length === 0) return <p>No FSP has joined yet.</p>
  const found = of.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()))
  return (
    <>
      {of.length > shown_max && (
        <label>
          Part of the name{' '}
          <input type="search" value={part} onChange={(event) => setPart(event.target.value)} />{' '}
          {found.length > shown_max && `the first ${shown_max} of ${found.length} are shown`}
        </label>
      )}
      {children(found.slice(0, shown_max))}
    </>
  )
}

export function ReadinessCard({ name }: { name: string }) {
  const readiness = useQuery(readinessQuery(name))
  return (
    <Card title="Readiness">
      <Loaded query={readiness}>
        {({ ready, items }) => (
          <>
            <p>
              <State state={ready ? 'READY' : 'NOT READY'} />
            </p>
            <ul className="checklist">
              {items.map(({ item, ok, text }) => (
                <li key={item} className={ok ? 'ok' : 'missing'}>
                  <strong>{ok ? 'Has' : 'Lacks'}</strong> {item}: {text}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Card>
  )
}

export function AccountsCard({ name }: { name: string }) {
  const accounts = useQuery(accountsQuery(name))
  const participant = useParticipants().data?.find((each) => each.name === name)
  return (
    <Card title="Accounts">
      <Loaded query={accounts}>
        {(all) => (
          <Table
            caption={`Accounts of ${name}`}
            head={['Id', 'Type', 'Balance', 'State']}
            empty="It has no accounts."
          >
            {all.map(({ id, ledgerAccountType, currency, value, isActive }) => (
              <tr key={id}>
                <td>{id}</td>
                <td>{ledgerAccountType}</td>
                <td>
                  <Money amount={value} currency={currency} />
                </td>
                <td>
                  <State state={isActive === 1 ? 'ACTIVE' : 'INACTIVE'} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Loaded>
      {participant !== undefined && <Bars participant={participant} />}
    </Card>
  )
}
