/** A search is part of the address: it can be kept, sent to somebody, and gone back to. */
import { useLocation, useParams } from 'wouter'
import { query } from './api.ts'
import { ChangeForm, type FieldOf, type Values } from './change.tsx'

/** The way to a view with a search: /payments/of/state=ABORTED */
export function searchPath(view: string, values: Readonly<Record<string, string>>): string {
  const text = query(values).slice(1)
  return text === '' ? view : `${view}/of/${text}`
}

/** What the address searches for, and how to search for something else. */
export function useSearch<Name extends string>(view: string, names: readonly Name[]) {
  const { search: key = '' } = useParams<{ search?: string }>()
  const [, navigate] = useLocation()
  const asked = new URLSearchParams(key)
  const search = Object.fromEntries(
    names.map((name) => [name, asked.get(name) ?? '']),
  ) as Values<Name>
  const searchFor = (values: Values<Name>) => {
    navigate(searchPath(view, values))
    return Promise.resolve()
  }
  return { key, search, searchFor }
}

/** What a field for date and time holds, as an instant; its clock is in UTC, as all clocks here. */
export function instant(text: string): string {
  return text === '' ? '' : new Date(`${text}Z`).toISOString()
}

/** The fields of a search, filled with what the address searches for. */
export function SearchForm<Name extends string>({
  fields,
  of: { key, search, searchFor },
}: {
  fields: readonly FieldOf<Name>[]
  of: ReturnType<typeof useSearch<Name>>
}) {
  return (
    <div role="search">
      <ChangeForm<Name>
        key={key}
        quiet
        fields={fields.map((field) => ({ ...field, initial: search[field.name] }))}
        ways={[{ label: 'Search', run: searchFor }]}
      />
    </div>
  )
}

/** Finds more of what is shown page by page, while there is more. */
export function More({
  label,
  of: { hasNextPage, isFetchingNextPage, fetchNextPage },
}: {
  label: string
  of: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
}) {
  return (
    hasNextPage && (
      <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {label}
      </button>
    )
  )
}
