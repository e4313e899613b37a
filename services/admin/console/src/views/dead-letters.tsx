/** What could not be delivered, and sending it again. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call, get } from '../api.ts'
import { ActionButton, Loaded, Page, Table, Time } from '../ui.tsx'

interface DeadLetter {
  readonly notificationId: string
  readonly fspId: string
  readonly entityId: string
  readonly cause: string
  readonly method: string
  readonly url: string
  readonly attempts: number
  readonly httpStatus: number | null
  readonly lastError: string | null
  readonly takenAt: string
}

export function DeadLetters() {
  const letters = useQuery({
    queryKey: ['dead-letters'],
    queryFn: () => get<DeadLetter[]>('/dead-letters'),
    refetchInterval: 5_000,
  })
  return (
    <Page title="Failed deliveries">
      <Loaded query={letters}>
        {(all) => (
          <>
            {all.length > 1 && (
              <ActionButton
                label={`Send all ${all.length} again`}
                run={() =>
                  call('POST', '/dead-letters/resend', {
                    notificationIds: all.map(({ notificationId }) => notificationId),
                  })
                }
              />
            )}
            <Table
              caption="Deliveries that were given up, the newest first"
              head={['To', 'Tells of', 'About', 'Attempts', 'Last answer', 'Since', 'Next']}
              empty="Everything has been delivered, or is still being tried."
            >
              {all.map((letter) => (
                <tr key={letter.notificationId}>
                  <th scope="row">{letter.fspId}</th>
                  <td>
                    {letter.cause}
                    <br />
                    <small>
                      {letter.method} {letter.url}
                    </small>
                  </td>
                  <td>
                    <About entityId={letter.entityId} cause={letter.cause} />
                  </td>
                  <td>{letter.attempts}</td>
                  <td>{letter.lastError ?? letter.httpStatus}</td>
                  <td>
                    <Time at={letter.takenAt} />
                  </td>
                  <td>
                    <ActionButton
                      label="Send again"
                      run={() => call('POST', `/dead-letters/${letter.notificationId}/resend`)}
                    />
                  </td>
                </tr>
              ))}
            </Table>
          </>
        )}
      </Loaded>
    </Page>
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
