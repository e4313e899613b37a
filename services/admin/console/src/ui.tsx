/** The basic elements of every view: labelled and reachable by keyboard. */
import type { UseQueryResult } from '@tanstack/react-query'
import { useId, useLayoutEffect, useRef, type ReactNode } from 'react'
import { ApiRefusal } from './api.ts'
import { isNegative, shownAmount, type Amount } from './domain/amounts.ts'
import { colourOf } from './states.ts'

/** After a change of view the focus is on the new heading; on a newly opened page, at its top. */
let isFirstView = true

export function Page({ title, children }: { title: string; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Before it is painted: a key pressed at once must not reach the previous view.
  useLayoutEffect(() => {
    if (!isFirstView) {
      window.scrollTo(0, 0)
      heading.current?.focus()
    }
    isFirstView = false
  }, [title])
  return (
    <>
      <title>{`${title} – Causeway`}</title>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  )
}

export function Card({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

/** The state of a query: loading, failed, or its data. */
export function Loaded<Data>({
  query,
  children,
}: {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
}) {
  const problem = query.isError && (
    <>
      <Problem error={query.error} />
      <button type="button" disabled={query.isFetching} onClick={() => void query.refetch()}>
        Try again
      </button>
    </>
  )
  if (query.data === undefined) return problem === false ? <Loading /> : problem
  if (problem === false) return children(query.data)
  return (
    <>
      {problem}
      <p>
        Showing data as of <Time at={new Date(query.dataUpdatedAt).toISOString()} />.
      </p>
      {children(query.data)}
    </>
  )
}

/** Says what is missing because its months are archived; `what` is the subject of the sentence. */
export function Archived({ what, months }: { what: string; months: readonly string[] }) {
  return (
    months.length > 0 && (
      <p>
        {what} is archived with {months.join(' and ')}: <code>npm run restore</code> puts it back.
      </p>
    )
  )
}

export function Loading() {
  return (
    <p role="status" className="loading">
      Loading…
    </p>
  )
}

/** The code of the error catalogue, and a description of the particular error. */
export function Problem({ error }: { error: Error }) {
  const code = error instanceof ApiRefusal ? error.code : ''
  return (
    <p role="alert" className="problem">
      {code !== '' && <strong>{code} </strong>}
      {error.message}
    </p>
  )
}

/** The text carries the meaning; the colour only supports it. */
export function State({ state }: { state: string }) {
  return <span className={`state ${colourOf(state)}`}>{state.replaceAll('_', ' ')}</span>
}

export function Money({ amount, currency }: { amount: Amount; currency?: string }) {
  return (
    <span className={isNegative(amount) ? 'money negative' : 'money'}>
      {shownAmount(amount, currency)}
      {currency === undefined ? '' : ` ${currency}`}
    </span>
  )
}

/** In UTC, like all times of the hub. */
export function Time({ at }: { at: string | null }) {
  if (at === null) return <>–</>
  return (
    <time dateTime={at} title={at}>
      {at.slice(0, 10)} {at.slice(11, 19)} <small>UTC</small>
    </time>
  )
}

export interface TableRow {
  readonly key: string | number
  /** One per column; the first names the row. */
  readonly cells: readonly ReactNode[]
}

/**
 * On a phone each row is a block of its own and each cell carries its label; so the roles are
 * repeated.
 */
export function Table({
  caption,
  head,
  rows,
  empty,
}: {
  caption: string
  /** The label of a numeric column begins with #. */
  head: readonly string[]
  rows: readonly TableRow[]
  empty: string
}) {
  if (rows.length === 0) return <p className="empty">{empty}</p>
  const columns = head.map((name) => ({
    name: name.replace('#', ''),
    className: name.startsWith('#') ? 'figure' : undefined,
  }))
  return (
    <div className="scroll">
      <table role="table">
        <caption>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name, className }) => (
              <th key={name} role="columnheader" scope="col" className={className}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map(({ key, cells }) => (
            <tr key={key} role="row">
              {cells.map((cell, at) => {
                const { name, className } = columns[at] ?? { name: '', className: undefined }
                return at === 0 ? (
                  <th key={name} role="rowheader" scope="row" className={className}>
                    {cell}
                  </th>
                ) : (
                  <td key={name} role="cell" data-label={name} className={className}>
                    {isNothing(cell) ? null : <div>{cell}</div>}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const isNothing = (shown: ReactNode) =>
  shown === null || shown === undefined || shown === false || shown === ''

/** Pairs of label and value, without empty ones. */
export function Facts({ of }: { of: Readonly<Record<string, ReactNode>> }) {
  const known = Object.entries(of).filter(([, value]) => !isNothing(value))
  return (
    <dl>
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
