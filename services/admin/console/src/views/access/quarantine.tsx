/** Audit entries that the service they name is not known to have made, and the decision about each. */
import { useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { AskButton, filled, type FieldOf } from '../../change.tsx'
import type { QuarantinedEntry } from '../../generated/operator-api.ts'
import { Loaded, Table, Time } from '../../ui.tsx'

const note: readonly FieldOf<'note'>[] = [{ name: 'note', label: 'Note', optional: true }]

export function Quarantine() {
  const { may } = useOperator()
  const found = useQuery({
    queryKey: ['audit quarantine'],
    queryFn: () => call('GET /audit-quarantine', { limit: '100' }),
    refetchInterval: 10_000,
  })
  return (
    <section>
      <h2>Quarantine</h2>
      <Loaded query={found}>
        {({ entries, total, held }) => (
          <>
            {total > entries.length && (
              <p>
                The newest {entries.length} of {total} are shown.
              </p>
            )}
            {held > 0 && <p>{held} entries wait for the key that they name.</p>}
            <Table
              caption="Quarantined audit entries, newest first"
              head={['Received', 'Claims to be from', 'Action', 'Subject', 'Reason', 'Next']}
              empty="No audit entries are quarantined."
              rows={entries.map((entry) => ({
                key: entry.contentHash,
                cells: [
                  <Time key="when" at={entry.receivedDate} />,
                  <>
                    {entry.sourceBcName}
                    <br />
                    <small>{entry.actor}</small>
                  </>,
                  entry.actionType,
                  <code key="subject">{entry.subject}</code>,
                  entry.reason.replaceAll('_', ' '),
                  may('MANAGE_AUDIT_QUARANTINE') && <Decisions key="next" of={entry} />,
                ],
              }))}
            />
          </>
        )}
      </Loaded>
    </section>
  )
}

function Decisions({ of: { contentHash, id } }: { of: QuarantinedEntry }) {
  const decide = (decision: 'RELEASE' | 'DISCARD', text: string) =>
    call('POST /audit-quarantine/{contentHash}', {
      contentHash,
      body: { decision, ...filled({ note: text }) },
    })
  return (
    <>
      <AskButton<'note'>
        label="Release"
        of={id}
        text={<p>The entry is added to the audit log, marked as released by you.</p>}
        fields={note}
        way={{ label: 'Release', run: ({ note: text }) => decide('RELEASE', text) }}
      />
      <AskButton<'note'>
        label="Discard"
        of={id}
        kind="danger"
        text={<p>The entry is removed. That you did so stays in the audit log.</p>}
        fields={note}
        way={{ label: 'Discard', run: ({ note: text }) => decide('DISCARD', text) }}
      />
    </>
  )
}
