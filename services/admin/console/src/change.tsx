/**
 * Forms and buttons that change something. An irreversible change asks for confirmation; after each
 * change all data is fetched again, so that the page shows the state of the hub.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useLayoutEffect, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { Problem } from './ui.tsx'

export interface FieldOf<Name extends string> {
  readonly name: Name
  readonly label: string
  readonly type?: 'text' | 'password' | 'search' | 'url' | 'email' | 'date' | 'datetime-local'
  /** Several lines, for example a key. */
  readonly isLong?: boolean
  /** A choice of one. */
  readonly options?: readonly string[]
  /** A choice of any number; the value is a list separated by commas. */
  readonly checks?: readonly string[]
  readonly initial?: string
  readonly optional?: boolean
  readonly inputMode?: 'decimal'
  readonly autoComplete?: string
  readonly hint?: string
}

export type FormValues<Name extends string> = Readonly<Record<Name, string>>

/** The confirmation before a change. */
export interface Question {
  readonly title: string
  readonly text: ReactNode
}

/** One way to submit a form; the first is the default. */
export interface Way<Name extends string> {
  readonly label: string
  /**
   * `id` is the same when the same values are sent again after a failure, so that the change is
   * made once.
   */
  readonly run: (values: FormValues<Name>, id: string) => Promise<unknown>
  /** The message after success; a value that is shown only once is shown here. */
  readonly done?: ReactNode | ((answer: unknown) => ReactNode)
  readonly confirm?: (values: FormValues<Name>) => Question
  readonly isDangerous?: boolean
}

/** The fields that were not left empty. */
export function filled<Name extends string>(
  fields: Readonly<Record<Name, string>>,
): Readonly<Partial<Record<Name, string>>> {
  const given = Object.entries<string>(fields).filter(([, text]) => text !== '')
  return Object.fromEntries(given) as Partial<Record<Name, string>>
}

/** The choices of a field with `checks`. */
export function listOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(',')
}

/** A form that was submitted. */
interface SubmittedForm<Name extends string> {
  readonly way: Way<Name>
  readonly values: FormValues<Name>
}

/** A form that is submitted once its confirmation is given. */
interface UnconfirmedForm<Name extends string> extends SubmittedForm<Name> {
  readonly question: Question
}

/** A form of labelled fields; shows whether the change was made. */
export function ChangeForm<Name extends string>({
  fields,
  ways,
  quiet = false,
  once = false,
  cancel,
}: {
  fields: readonly FieldOf<Name>[]
  ways: readonly Way<Name>[]
  /** It changes no data on the page, and keeps its values. */
  quiet?: boolean
  /** After success only the message stays. */
  once?: boolean
  /** A button to cancel, before the others. */
  cancel?: ReactNode
}) {
  const form = useRef<HTMLFormElement>(null)
  const [asked, setAsked] = useState<UnconfirmedForm<Name>>()
  const change = useChange<Name>(quiet, () => form.current?.reset())
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { submitter } = event.nativeEvent as SubmitEvent
    const way = ways[Number(submitter?.getAttribute('value') ?? 0)] ?? ways[0]
    if (way === undefined || change.isPending) return
    const data = new FormData(event.currentTarget)
    const values = valuesIn(data, fields)
    if (way.confirm === undefined) change.mutate({ way, values })
    else setAsked({ way, values, question: way.confirm(values) })
  }
  const done = change.isSuccess && <Done way={change.variables.way} answer={change.data} />
  if (once && change.isSuccess) return done
  return (
    <form ref={form} onSubmit={send}>
      {fields.map((field) => (
        <Field key={field.name} field={field} />
      ))}
      <div className="line">
        {cancel}
        {ways.map((way, at) => (
          <button
            key={way.label}
            type="submit"
            value={at}
            className={way.isDangerous === true ? 'danger' : at === 0 ? 'primary' : ''}
            disabled={change.isPending}
          >
            {change.isPending && change.variables.way.label === way.label
              ? `${way.label}…`
              : way.label}
          </button>
        ))}
      </div>
      {change.isError && <Problem error={change.error} />}
      {done}
      {asked !== undefined && (
        <Confirmation asked={asked} close={() => setAsked(undefined)} send={change.mutate} />
      )}
    </form>
  )
}

/** Submits a form; a retry after a failure has the id of the first attempt. */
function useChange<Name extends string>(quiet: boolean, reset: () => void) {
  /** The last one that failed, or is in progress. */
  const attempt = useRef<{ readonly content: string; readonly id: string }>(undefined)
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ way, values }: SubmittedForm<Name>) => {
      const content = JSON.stringify([way.label, values])
      if (attempt.current?.content !== content) {
        attempt.current = { content, id: newId() }
      }
      return way.run(values, attempt.current.id)
    },
    onSuccess: () => {
      attempt.current = undefined
      if (!quiet) reset()
    },
    onSettled: () => (quiet ? undefined : client.invalidateQueries()),
  })
}

function Confirmation<Name extends string>({
  asked,
  close,
  send,
}: {
  asked: UnconfirmedForm<Name>
  close: () => void
  send: (sent: SubmittedForm<Name>) => void
}) {
  const { way, question } = asked
  return (
    <Dialog title={question.title} close={close}>
      {question.text}
      <div className="buttons">
        <Cancel />
        <button
          type="button"
          className={way.isDangerous === true ? 'danger' : 'primary'}
          onClick={() => {
            send(asked)
            close()
          }}
        >
          Yes, {way.label.toLowerCase()}
        </button>
      </div>
    </Dialog>
  )
}

/** A UUID; browsers provide it only in a secure context. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const [a, b, c, d] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16), hex.slice(17, 20)]
  return `${a}-${b}-4${c}-a${d}-${hex.slice(20)}`
}

function Done<Name extends string>({ way: { done }, answer }: { way: Way<Name>; answer: unknown }) {
  const message = typeof done === 'function' ? done(answer) : done
  return message === undefined || message === '' ? null : <div role="status">{message}</div>
}

function valuesIn<Name extends string>(
  data: FormData,
  fields: readonly FieldOf<Name>[],
): FormValues<Name> {
  const textOf = (value: FormDataEntryValue) => (typeof value === 'string' ? value.trim() : '')
  return Object.fromEntries(
    fields.map(({ name }) => [name, data.getAll(name).map(textOf).join(',')]),
  ) as FormValues<Name>
}

/** A change by a button alone. */
export function ActionButton({
  label,
  run,
  kind = '',
}: {
  label: string
  run: () => Promise<unknown>
  kind?: '' | 'danger' | 'primary'
}) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: run,
    onSettled: () => client.invalidateQueries(),
  })
  return (
    <div className="action">
      <button
        type="button"
        className={kind}
        disabled={change.isPending}
        onClick={() => change.mutate()}
      >
        {change.isPending ? `${label}…` : label}
      </button>
      {change.isError && <Problem error={change.error} />}
    </div>
  )
}

/** A button that opens a dialog, for a reason or more fields, and describes the effect. */
export function AskButton<Name extends string>({
  label,
  of,
  title = label,
  text,
  fields = [],
  way,
  kind = '',
}: {
  label: string
  /** The object of the change, where it is only visible next to the button. */
  of?: string
  title?: string
  text: ReactNode
  fields?: readonly FieldOf<Name>[]
  way: Way<Name>
  kind?: '' | 'danger' | 'primary'
}) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  // Without a message, the dialog closes after success.
  const run = async (values: FormValues<Name>, id: string) => {
    const answer = await way.run(values, id)
    if (way.done === undefined) close()
    return answer
  }
  return (
    <div className="action">
      <button type="button" className={kind} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {label}
        {of !== undefined && <span className="unseen"> {of}</span>}
      </button>
      {isOpen && (
        <Dialog title={title} close={close}>
          {text}
          <ChangeForm fields={fields} ways={[{ ...way, run }]} once cancel={<Cancel />} />
        </Dialog>
      )}
    </div>
  )
}

/** The browser keeps the focus inside, closes the dialog with Escape and returns the focus. */
function Dialog({
  title,
  close,
  children,
}: {
  title: string
  close: () => void
  children: ReactNode
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the dialog leaves the page, so that the focus returns.
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  const closed = () => {
    if (dialog.current?.open === false) close()
  }
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={closed}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

function Cancel({ label = 'Cancel' }: { label?: string }) {
  return (
    <button type="button" onClick={(event) => event.currentTarget.closest('dialog')?.close()}>
      {label}
    </button>
  )
}

function Field<Name extends string>({ field }: { field: FieldOf<Name> }) {
  const id = useId()
  const { name, label, optional = false, hint, checks } = field
  if (checks !== undefined) return <Checks field={field} checks={checks} />
  return (
    <div className={field.isLong === true ? 'field long' : 'field'}>
      <label htmlFor={id}>
        {label}
        {optional ? ' (optional)' : ''}
      </label>
      <Control id={id} field={field} />
      {hint !== undefined && <small id={`${name}-${id}`}>{hint}</small>}
    </div>
  )
}

function Control<Name extends string>({ id, field }: { id: string; field: FieldOf<Name> }) {
  const { name, type = 'text', options, initial = '', optional = false } = field
  const usual = {
    id,
    name,
    defaultValue: initial,
    required: !optional,
    'aria-describedby': field.hint === undefined ? undefined : `${name}-${id}`,
  }
  if (options !== undefined) {
    return (
      <select {...usual}>
        {options.map((option) => (
          <option key={option} value={option}>
            {option === '' ? 'any' : option.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
    )
  }
  if (field.isLong === true) return <textarea {...usual} rows={5} spellCheck={false} />
  return (
    <input
      {...usual}
      type={type}
      inputMode={field.inputMode}
      autoComplete={field.autoComplete ?? 'off'}
    />
  )
}

function Checks<Name extends string>({
  field: { name, label, initial = '' },
  checks,
}: {
  field: FieldOf<Name>
  checks: readonly string[]
}) {
  const chosen = listOf(initial)
  return (
    <fieldset>
      <legend>{label}</legend>
      <div className="checks">
        {checks.map((check) => (
          <label key={check}>
            <input
              type="checkbox"
              name={name}
              value={check}
              defaultChecked={chosen.includes(check)}
            />{' '}
            {check}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
