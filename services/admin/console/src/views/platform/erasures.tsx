/** Months and persons whose data is erased for ever, after the approval of another operator. */
import { useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { call, type OperationAnswer } from '../../api.ts'
import { ActionButton, AskButton, filled } from '../../change.tsx'
import { Card, Loaded, Page, Table, Time } from '../../ui.tsx'

type Erasure = OperationAnswer<'GET /erasures'>[number]
type Month = OperationAnswer<'GET /erasures/months'>[number]

const submit = 'Submit for approval'
const done = 'Submitted. Another operator finds it under Approvals.'

export function Erasures() {
  const { may } = useOperator()
  const months = useQuery({ queryKey: ['months'], queryFn: () => call('GET /erasures/months') })
  const all = useQuery({ queryKey: ['erasures'], queryFn: () => call('GET /erasures') })
  return (
    <Page title="Erasure">
      <Card title="Persons">
        <p>
          Erases what names a person: whom the identifier belongs to, the messages of quotes and
          transfers, failed deliveries and consents that are over. Amounts and ids of payments stay.
        </p>
        {may('CREATE_PERSON_ERASURE') && <ErasePerson />}
        <Loaded query={all}>{(erasures) => <Requests erasures={erasures} />}</Loaded>
      </Card>
      <Card title="Months">
        <p>
          The messages of a month are encrypted with a key of their own. Without the key they cannot
          be read again, in the database, in archives or in backups.
        </p>
        <Loaded query={months}>{(rows) => <Months months={rows} />}</Loaded>
      </Card>
    </Page>
  )
}

function ErasePerson() {
  return (
    <AskButton
      label="Erase a person"
      kind="danger"
      title="Erase a person?"
      text={<p>Nothing brings back what is erased. Archives are erased with their months.</p>}
      fields={[
        { name: 'partyIdType', label: 'Type of the identifier', initial: 'MSISDN' } as const,
        { name: 'partyIdentifier', label: 'Identifier', autoComplete: 'off' } as const,
        { name: 'partySubIdOrType', label: 'Sub-id', optional: true } as const,
      ]}
      way={{
        label: submit,
        run: ({ partyIdType, partyIdentifier, partySubIdOrType }, requestId) => {
          const subId = filled({ partySubIdOrType })
          const body = { requestId, partyIdType, partyIdentifier, ...subId }
          return call('POST /CreatePersonErasure', { body })
        },
        done,
        isDangerous: true,
      }}
    />
  )
}

function Requests({ erasures }: { erasures: readonly Erasure[] }) {
  const { may } = useOperator()
  return (
    <Table
      caption="Requests, newest first"
      head={['Of', 'State', 'Requested by', 'Time', 'Progress', 'Next']}
      empty="Nothing was erased."
      rows={erasures.map((erasure) => ({
        key: erasure.requestId,
        cells: [
          subjectOf(erasure),
          erasure.finishedAt === null ? erasure.state : 'FINISHED',
          erasure.createdBy,
          <Time key="when" at={erasure.createdAt} />,
          erasure.progress
            .map(({ service, erased, isDone }) => `${service}: ${erased}${isDone ? '' : '…'}`)
            .join(', '),
          erasure.state === 'APPROVED' && erasure.finishedAt === null && may('MANAGE_ERASURES') && (
            <ActionButton
              key="next"
              label="Go on"
              run={() => call('POST /erasures/{requestId}/run', { requestId: erasure.requestId })}
            />
          ),
        ],
      }))}
    />
  )
}

function subjectOf({ month, person }: Erasure): string {
  if (month !== null) return month
  return person === null ? 'a person' : `${person.partyIdType} ${person.partyIdentifier}`
}

function Months({ months }: { months: readonly Month[] }) {
  const { may } = useOperator()
  return (
    <Table
      caption="Months, newest first"
      head={['Month', 'State', 'Next']}
      empty="No message was stored yet."
      rows={months.map(({ month, erasedAt, erasable }) => ({
        key: month,
        cells: [
          month,
          erasedAt === null ? (
            'readable'
          ) : (
            <>
              erased <Time at={erasedAt} />
            </>
          ),
          erasable && may('CREATE_MONTH_ERASURE') && (
            <AskButton
              key="next"
              label="Erase"
              of={month}
              kind="danger"
              title={`Erase ${month}?`}
              text={<p>Its messages can never be read again.</p>}
              way={{
                label: submit,
                run: (_, requestId) =>
                  call('POST /CreateMonthErasure', { body: { requestId, month } }),
                done,
                isDangerous: true,
              }}
            />
          ),
        ],
      }))}
    />
  )
}
