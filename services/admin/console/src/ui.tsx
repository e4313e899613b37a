/** The few elements that every view is made of: labelled, reachable by keyboard, and plain. */
import { useMutation, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useId, type FormEvent, type ReactNode } from 'react'
import { isNegative, shownAmount, type Amount } from './domain/amounts.ts'

export function Page({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <title>{`${title} – Causeway`}</title>
      <h1>{title}</h1>
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

/** What a query has to say before, instead of, or with its data. */
export function Loaded<Data>({
  query,
  children,
}: {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
}) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isError && <Problem error={query.error} />}
        {children(query.data)}
      </>
    )
  }
  return query.isError ? <Problem error={query.error} /> : <p role="status">Loading…</p>
}

export function Problem({ error }: { error: Error }) {
  return (
    <p role="alert" className="problem">
      {error.message}
    </p>
  )
}

const good = ['ACTIVE', 'READY', 'COMMITTED', 'OPEN', 'SETTLED', 'DELIVERED', 'POSTED', 'ACCEPTED']
const bad = ['ABORTED', 'FAILED', 'INACTIVE', 'NOT READY', 'REFUSED', 'VOIDED', 'REJECTED']

/** The word says it; the colour only helps. */
export function State({ state }: { state: string }) {
  const kind = good.includes(state) ? 'good' : bad.includes(state) ? 'bad' : 'waiting'
  return <span className={`state ${kind}`}>{state.replaceAll('_', ' ')}</span>
}

export function Money({ amount, currency }: { amount: Amount; currency?: string }) {
  return (
    <span className={isNegative(amount) ? 'money negative' : 'money'}>
      {shownAmount(amount)}
      {currency === undefined ? '' : ` ${currency}`}
    </span>
  )
}

export function Time({ at }: { at: string | null }) {
  if (at === null) return <>–</>
  return (
    <time dateTime={at} title={at}>
      {at.slice(0, 10)} {at.slice(11, 19)}
    </time>
  )
}

export function Table({
  caption,
  head,
  children,
  empty,
}: {
  caption: string
  head: readonly string[]
  children: readonly ReactNode[]
  empty: string
}) {
  if (children.length === 0) return <p>{empty}</p>
  return (
    <div className="scroll" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

/** Runs a change, then reads everything anew: what is shown is what the hub says. */
export function useChange<Input>(run: (input: Input) => Promise<unknown>, quiet = false) {
  const client = useQueryClient()
  const readAnew = () => (quiet ? undefined : client.invalidateQueries())
  return useMutation({ mutationFn: run, onSettled: readAnew })
}

/** A change that needs no more than a press. */
export function ActionButton({
  label,
  run,
  kind = '',
  disabled = false,
}: {
  label: string
  run: () => Promise<unknown>
  kind?: '' | 'danger' | 'primary'
  disabled?: boolean
}) {
  const change = useChange<undefined>(run)
  return (
    <span className="action">
      <button
        type="button"
        className={kind}
        disabled={change.isPending || disabled}
        onClick={() => change.mutate(undefined)}
      >
        {change.isPending ? `${label}…` : label}
      </button>
      {change.isError && <Problem error={change.error} />}
    </span>
  )
}

export interface FieldOf<Name extends string> {
  readonly name: Name
  readonly label: string
  readonly type?: 'text' | 'password' | 'search' | 'url'
  readonly options?: readonly string[]
  readonly initial?: string
  readonly optional?: boolean
  readonly inputMode?: 'decimal'
  readonly autoComplete?: string
}

export type Values<Name extends string> = Readonly<Record<Name, string>>

/** A form of labelled fields; says whether the change was made. */
export function ChangeForm<Name extends string>({
  fields,
  submit,
  run,
  done = 'Done.',
  quiet = false,
}: {
  fields: readonly FieldOf<Name>[]
  submit: string
  run: (values: Values<Name>) => Promise<unknown>
  done?: string
  /** It changes nothing that is shown. */
  quiet?: boolean
}) {
  const change = useChange(run, quiet)
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const data = new FormData(form)
    const values = Object.fromEntries(fields.map(({ name }) => [name, textIn(data, name)]))
    change.mutate(values as Values<Name>, { onSuccess: () => form.reset() })
  }
  return (
    <form onSubmit={send}>
      {fields.map((field) => (
        <Field key={field.name} field={field} />
      ))}
      <button type="submit" className="primary" disabled={change.isPending}>
        {change.isPending ? `${submit}…` : submit}
      </button>
      {change.isError && <Problem error={change.error} />}
      {change.isSuccess && done !== '' && <p role="status">{done}</p>}
    </form>
  )
}

function textIn(data: FormData, name: string): string {
  const value = data.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

function Field<Name extends string>({ field }: { field: FieldOf<Name> }) {
  const id = useId()
  const { name, label, type = 'text', options, initial = '', optional = false } = field
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {optional ? ' (optional)' : ''}
      </label>
      {options === undefined ? (
        <input
          id={id}
          name={name}
          type={type}
          defaultValue={initial}
          required={!optional}
          inputMode={field.inputMode}
          autoComplete={field.autoComplete ?? 'off'}
        />
      ) : (
        <select id={id} name={name} defaultValue={initial} required={!optional}>
          {options.map((option) => (
            <option key={option} value={option}>
              {option === '' ? 'any' : option.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}
