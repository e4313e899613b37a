/** Files for reconciliation: the transfers of an FSP, and those of a settlement. */
import { useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { download } from '../../api.ts'
import { ActionButton, ChangeForm, type FormValues, type Way } from '../../change.tsx'
import { Card, Loaded } from '../../ui.tsx'
import { windowsQuery } from './settlements.tsx'

type Field = 'day' | 'settlementWindowId'
type Format = 'csv' | 'json'

/** JSON holds one page; CSV holds all rows. */
const rows_max = '5000'

export function Files({ name }: { name: string }) {
  const { may } = useOperator()
  const windows = useQuery({ ...windowsQuery('30 days'), enabled: may('VIEW_SETTLEMENTS') })
  if (!may('VIEW_SETTLEMENTS')) return <p>Your roles do not permit viewing settlements.</p>
  const save =
    (format: Format) =>
    ({ day, settlementWindowId: id }: FormValues<Field>) => {
      const [settlementWindowId = ''] = id.split(' ')
      const asked = { day, settlementWindowId, format, ...(format === 'json' ? page : {}) }
      const about = [id === '' ? '' : `-window-${settlementWindowId}`, day === '' ? '' : `-${day}`]
      const file = `reconciliation-${name}${about.join('')}.${format}`
      return download(file, 'GET /participants/{name}/reconciliation', { name, ...asked })
    }
  const way = (format: Format, label: string): Way<Field> => ({
    label,
    run: save(format),
    done: 'Saved.',
  })
  return (
    <Card title="Reconciliation file">
      <p>
        Every transfer of {name} that became final on a day (UTC) or in a settlement window; {name}{' '}
        can fetch the same itself. JSON holds the first {rows_max} rows, CSV all.
      </p>
      <Loaded query={windows}>
        {(all) => (
          <ChangeForm<Field>
            quiet
            fields={[
              { name: 'day', label: 'Day', type: 'date', optional: true },
              {
                name: 'settlementWindowId',
                label: 'Settlement window',
                options: ['', ...all.map(({ id, state }) => `${id} ${state}`)],
                optional: true,
              },
            ]}
            ways={[way('csv', 'Save as CSV'), way('json', 'Save as JSON')]}
          />
        )}
      </Loaded>
    </Card>
  )
}

const page = { limit: rows_max }

export function SettlementFiles({ id }: { id: number }) {
  const save = (format: Format) => () =>
    download(`settlement-${id}.${format}`, 'GET /v2/settlements/{id}/report', {
      id,
      format,
      ...(format === 'json' ? page : {}),
    })
  return (
    <div className="line">
      <ActionButton label="Report as CSV" run={save('csv')} />
      <ActionButton label="Report as JSON" run={save('json')} />
    </div>
  )
}
