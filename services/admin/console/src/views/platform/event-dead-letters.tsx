/** Events that a service could not process: delivered to it again, or discarded. */
import { useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { ActionButton, AskButton } from '../../change.tsx'
import { Card, Loaded, Table, Time } from '../../ui.tsx'

export function EventDeadLetters() {
  const { may } = useOperator()
  const letters = useQuery({
    queryKey: ['event-dead-letters'],
    queryFn: () => call('GET /event-dead-letters', {}),
    refetchInterval: 30_000,
  })
  return (
    <Card title="Failed events">
      <Loaded query={letters}>
        {({ deadLetters, unavailable }) => (
          <>
            {unavailable.length > 0 && <p>No answer from {unavailable.join(', ')}.</p>}
            <Table
              caption="Events that a service could not process"
              head={['Event', 'Group', 'Reason', 'Since', 'Next']}
              empty="No failed events."
              rows={deadLetters.map(({ group, id, key, type, reason, failedAt }) => ({
                key: `${group} ${id}`,
                cells: [
                  <>
                    {type ?? '–'}
                    <br />
                    <small>{key}</small>
                  </>,
                  group,
                  reason,
                  <Time key="since" at={failedAt} />,
                  may('MANAGE_DELIVERIES') && <Next key="next" group={group} id={id} />,
                ],
              }))}
            />
          </>
        )}
      </Loaded>
    </Card>
  )
}

function Next({ group, id }: { group: string; id: string }) {
  return (
    <div className="line">
      <ActionButton
        label="Process again"
        run={() => call('POST /event-dead-letters/replay', { body: { group, id } })}
      />
      <AskButton
        label="Discard"
        of={id}
        title={`Discard ${id}?`}
        text={<p>The event is never processed. Nothing that depends on it happens.</p>}
        kind="danger"
        way={{
          label: 'Discard event',
          isDangerous: true,
          run: () => call('POST /event-dead-letters/discard', { body: { group, id } }),
        }}
      />
    </div>
  )
}
