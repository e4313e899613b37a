/** A search is part of the address: it can be bookmarked, shared, and returned to. */
import { useLocation, useParams } from 'wouter'
import { ChangeForm, type FieldOf, type FormValues } from './change.tsx'
import { query } from './domain/address.ts'

/** The way to a view with a search: /payments/of/state=ABORTED */
export function searchPath(view: string, values: Readonly<Record<string, string>>): string {
  const text = query(values).slice(1)
  return text === '' ? view : `${view}/of/${text}`
}

/** The search in the address, and a function to change it. */
export function useSearch<Name extends string>(view: string, names: readonly Name[]) {
  const { search: key = '' } = useParams<{ search?: string }>()
  const [, navigate] = useLocation()
  const asked = new URLSearchParams(key)
  const search = Object.fromEntries(
    names.map((name) => [name, asked.get(name) ?? '']),
  ) as FormValues<Name>
  const searchFor = (values: FormValues<Name>) => {
    navigate(searchPath(view, values))
    return Promise.resolve()
  }
  return { key, search, searchFor }
}

/** The value of a date-and-time field as an instant, in UTC like all times of the console. */
export function instant(text: string): string {
  return text === '' ? '' : new Date(`${text}Z`).toISOString()
}

/** The fields of a search, filled from the address. */
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

/** A button that loads the next page, while there is one. */
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
