/** Reminders of the scheduler that could not be delivered: retried or deleted. */
import { useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { ActionButton, AskButton } from '../../change.tsx'
import { Card, Loaded, Table, Time } from '../../ui.tsx'

export function FailedReminders() {
  const { may } = useOperator()
  const reminders = useQuery({
    queryKey: ['failed-reminders'],
    queryFn: () => call('GET /reminders', { state: 'FAILED' }),
    refetchInterval: 10_000,
  })
  return (
    <Card title="Failed reminders">
      <Loaded query={reminders}>
        {(all) => (
          <Table
            caption="Reminders that could not be delivered"
            head={['Reminder', 'Owner', 'Due', '#Attempts', 'Last error', 'Next']}
            empty="No failed reminders."
            rows={all.map(({ reminderId, owner, dueAt, attempts, lastError }) => ({
              key: reminderId,
              cells: [
                <code key="id">{reminderId}</code>,
                owner,
                <Time key="due" at={dueAt} />,
                attempts,
                lastError ?? '–',
                may('MANAGE_REMINDERS') && <Next key="next" reminderId={reminderId} />,
              ],
            }))}
          />
        )}
      </Loaded>
    </Card>
  )
}

function Next({ reminderId }: { reminderId: string }) {
  return (
    <div className="line">
      <ActionButton
        label="Retry"
        run={() => call('POST /reminders/{reminderId}/retry', { reminderId })}
      />
      <AskButton
        label="Delete"
        of={reminderId}
        title={`Delete ${reminderId}?`}
        text={<p>It is not delivered for the time that it failed for, nor at later times.</p>}
        kind="danger"
        way={{
          label: 'Delete reminder',
          isDangerous: true,
          run: () => call('DELETE /reminders/{reminderId}', { reminderId }),
        }}
      />
    </div>
  )
}
