/** Failed deliveries, and their resending. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useOperator } from '../../access.ts'
import { call, type OperationAnswer } from '../../api.ts'
import { ActionButton, AskButton } from '../../change.tsx'
import type { DeadLetter } from '../../generated/operator-api.ts'
import { Loaded, Page, Table, Time } from '../../ui.tsx'
import { EventDeadLetters } from './event-dead-letters.tsx'
import { FailedReminders } from './failed-reminders.tsx'
import { FspLink } from '../participants.tsx'

const letters_max = 1_000

export function useDeadLetters() {
  const { may } = useOperator()
  return useQuery({
    queryKey: ['dead-letters'],
    queryFn: () => call('GET /dead-letters', { limit: `${letters_max}` }),
    refetchInterval: 10_000,
    enabled: may('VIEW_DELIVERIES'),
  })
}

export function DeadLetters() {
  const { may } = useOperator()
  return (
    <Page title="Failed deliveries">
      <p>
        Messages that could not be delivered to an FSP. Each is stored unchanged and can be sent
        again when the FSP is reachable.
      </p>
      <Loaded query={useDeadLetters()}>
        {(all) => (
          <>
            {all.length > 1 && may('MANAGE_DELIVERIES') && <SendAll letters={all} />}
            {all.length === letters_max && <p>Only the newest {letters_max} are shown.</p>}
            <Table
              caption="Failed deliveries, newest first"
              head={['To', 'Event', 'About', '#Attempts', 'Last answer', 'Since', 'Next']}
              empty="No failed deliveries."
              rows={all.map((letter) => ({
                key: letter.notificationId,
                cells: cellsOf(letter, may('MANAGE_DELIVERIES')),
              }))}
            />
          </>
        )}
      </Loaded>
      <FailedReminders />
      <EventDeadLetters />
    </Page>
  )
}

function cellsOf(letter: DeadLetter, maySend: boolean) {
  const { fspId, cause, entityId, method, url, httpStatus, lastError } = letter
  return [
    <FspLink key="to" name={fspId} />,
    <>
      {cause}
      <br />
      <small>
        {method} {url}
      </small>
    </>,
    <About key="about" entityId={entityId} cause={cause} />,
    letter.attempts,
    lastError ?? httpStatus ?? '–',
    <Time key="since" at={letter.takenAt} />,
    maySend && (
      <ActionButton
        key="next"
        label="Send again"
        run={() =>
          call('POST /dead-letters/{notificationId}/resend', {
            notificationId: letter.notificationId,
          })
        }
      />
    ),
  ]
}

/** Some may be past their deadline or gone; the result shows how many were sent. */
function SendAll({ letters }: { letters: readonly DeadLetter[] }) {
  const notificationIds = letters.map(({ notificationId }) => notificationId)
  return (
    <AskButton
      label={`Send all ${letters.length} again`}
      text={
        <p>Each message is sent unchanged. Those whose own deadline has passed stay in the list.</p>
      }
      way={{
        label: 'Send all',
        run: () => call('POST /dead-letters/resend', { body: { notificationIds } }),
        done: (answer) => {
          const all = answer as OperationAnswer<'POST /dead-letters/resend'>
          const sent = all.filter(({ outcome }) => outcome === 'RESENT')
          return `${sent.length} of ${all.length} are being sent.`
        },
      }}
    />
  )
}

function About({ entityId, cause }: { entityId: string; cause: string }) {
  return cause.startsWith('Transfer') ? (
    <Link href={`/payments/${encodeURIComponent(entityId)}`}>
      <code>{entityId}</code>
    </Link>
  ) : (
    <code>{entityId}</code>
  )
}
