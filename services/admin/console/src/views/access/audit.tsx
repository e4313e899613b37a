/** The audit log: who did what, when, and with what effect. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type OperationAnswer } from '../../api.ts'
import { useOperator } from '../../access.ts'
import { AskButton, type FieldOf } from '../../change.tsx'
import { differences } from '../../domain/difference.ts'
import type { AuditEntry } from '../../generated/operator-api.ts'
import { instant, More, SearchForm, useSearch } from '../../search.tsx'
import { Facts, Loading, Page, Problem, State, Table, Time } from '../../ui.tsx'
import { Quarantine } from './quarantine.tsx'

const names = ['userId', 'actionType', 'subject', 'from', 'to'] as const
type AuditField = (typeof names)[number]

const fields: readonly FieldOf<AuditField>[] = [
  { name: 'userId', label: 'Actor', optional: true },
  { name: 'actionType', label: 'Action', optional: true },
  { name: 'subject', label: 'Subject', optional: true, hint: 'and its descendants' },
  { name: 'from', label: 'From, UTC', type: 'datetime-local', optional: true },
  { name: 'to', label: 'Before, UTC', type: 'datetime-local', optional: true },
]

export function Audit() {
  const { may } = useOperator()
  const searching = useSearch<AuditField>('/audit', names)
  const { key, search } = searching
  const [isDecrypted, setDecrypted] = useState(false)
  const found = useInfiniteQuery({
    queryKey: ['audit', key, isDecrypted],
    queryFn: ({ pageParam: cursor }) => {
      const times = { from: instant(search.from), to: instant(search.to) }
      const asked = { ...search, ...times, limit: '50', cursor }
      return isDecrypted ? call('POST /audit/confidential', asked) : call('GET /audit', asked)
    },
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
  })
  const entries = found.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <Page title="Audit">
      <SearchForm fields={fields} of={searching} />
      {found.isError && <Problem error={found.error} />}
      {found.isPending ? (
        <Loading />
      ) : (
        <Table
          caption="Audit entries, newest first"
          head={['Time', 'Actor', 'Action', 'Subject', 'Changes']}
          empty="No audit entries were found."
          rows={entries.map((entry) => ({
            key: entry.id,
            cells: [
              <Time key="when" at={entry.actionTimestamp} />,
              <Actor key="actor" of={entry} />,
              <Action key="action" of={entry} />,
              <code key="subject">{entry.subject}</code>,
              <Changed key="changed" of={entry} />,
            ],
          }))}
        />
      )}
      <div className="line">
        <More label="Older entries" of={found} />
        <Verify />
        {may('RUN_AUDIT_CONFIDENTIAL') && (
          <button type="button" onClick={() => setDecrypted(!isDecrypted)}>
            {isDecrypted ? 'Hide confidential values' : 'Show confidential values'}
          </button>
        )}
      </div>
      {may('VIEW_AUDIT_LOG_STATE') && <LogState />}
      {may('VIEW_AUDIT_QUARANTINE') && <Quarantine />}
    </Page>
  )
}

/** With roles and network address, where they are known. */
function Actor({ of: { securityContext, callerNetworkSources } }: { of: AuditEntry }) {
  const { userId, appId, role } = securityContext
  const addresses = callerNetworkSources.map(({ address }) => address)
  return (
    <>
      {userId ?? appId ?? 'unknown'}
      <br />
      <small>{[...(role === undefined ? [] : [role]), ...addresses].join(', ')}</small>
    </>
  )
}

function Action({ of }: { of: AuditEntry }) {
  return (
    <>
      {of.actionType}
      {!of.actionSuccessful && (
        <>
          {' '}
          <State state="FAILED" />
        </>
      )}
      {!of.signatureValid && <strong className="problem"> signature not valid</strong>}
      <br />
      <small>
        {of.sourceBcName}
        {`, ${of.provenance.toLowerCase()}`}
      </small>
    </>
  )
}

const shown_max = 3

/** Encrypted members by one word. */
function readable(state: AuditEntry['before']): AuditEntry['before'] {
  if (state === null) return null
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null && 'encrypted' in value ? 'confidential' : value,
    ]),
  )
}

/** The first few at once, the others on demand. */
function Changed({ of: { before, after, labels = [], number } }: { of: AuditEntry }) {
  const changes = differences(readable(before), readable(after))
  const few = changes.slice(0, shown_max)
  const more = changes.slice(shown_max)
  return (
    <>
      <ChangeList of={few} />
      {(more.length > 0 || labels.length > 0) && (
        <details>
          <summary>
            {more.length === 0 ? 'more' : `${more.length} more`}
            <span className="unseen"> of entry {number}</span>
          </summary>
          <ChangeList of={more} />
          <Facts
            of={Object.fromEntries(
              labels.map(({ key, value, encryptionKeyId }) => [
                key,
                encryptionKeyId === undefined ? value : 'confidential',
              ]),
            )}
          />
        </details>
      )}
    </>
  )
}

function ChangeList({ of }: { of: ReturnType<typeof differences> }) {
  if (of.length === 0) return null
  return (
    <ul className="changes">
      {of.map(({ path, before, after }) => (
        <li key={path}>
          {path}: {before !== undefined && <del>{before}</del>}
          {before !== undefined && after !== undefined && ' → '}
          {after !== undefined && <ins>{after}</ins>}
        </li>
      ))}
    </ul>
  )
}

function LogState() {
  const state = useQuery({
    queryKey: ['audit log'],
    queryFn: () => call('GET /audit-read-build-audit-log'),
  })
  if (state.data === undefined) return state.isError ? <Problem error={state.error} /> : <Loading />
  const { lastNumber, signedDate, signatureValid, anchor, verification } = state.data
  return (
    <Facts
      of={{
        'Last entry': lastNumber,
        Signed: signedDate === undefined ? 'never' : <Time at={signedDate} />,
        Signature: signatureValid || lastNumber === '0' ? 'valid' : 'not valid',
        'Last anchor':
          anchor === undefined ? (
            'none'
          ) : (
            <>
              {anchor.number}, <Time at={anchor.signedDate} />
            </>
          ),
        'Last scheduled verification':
          verification === undefined ? (
            'none'
          ) : (
            <>
              {verification.faults === 0 ? 'valid' : `${verification.faults} faults`},{' '}
              <Time at={verification.date} />
            </>
          ),
      }}
    />
  )
}

/** Requires no privilege but to view. */
function Verify() {
  return (
    <AskButton
      label="Verify the audit log"
      text={
        <p>
          Checks that every entry carries its original signature, that none is missing, and that the
          log contains what its anchors name. It may take a while.
        </p>
      }
      way={{
        label: 'Verify',
        run: () => call('POST /audit/verify'),
        done: (answer) => {
          const { clean, checked, lastNumber, lastHash, anchorsChecked, faults } =
            answer as OperationAnswer<'POST /audit/verify'>
          return (
            <>
              <p>
                {clean
                  ? `All ${checked} entries are valid.`
                  : `${faults.length} faults in ${checked} entries:`}
              </p>
              <ul>
                {faults.map((fault) => (
                  <li key={fault}>{fault}</li>
                ))}
              </ul>
              <Facts
                of={{
                  'Last entry': lastNumber,
                  Hash: <code>{lastHash}</code>,
                  'Anchors compared': anchorsChecked,
                }}
              />
            </>
          )
        },
      }}
    />
  )
}
