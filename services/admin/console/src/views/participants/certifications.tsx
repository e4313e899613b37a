/** The certification reports of a participant: the list, the upload of one, and one with its cases. */
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { Link } from 'wouter'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { participantPath } from '../../domain/address.ts'
import { outcomeOf, reportIn, resultsByRole, stateName } from '../../domain/certification.ts'
import type { CertificationReport, CertificationResult } from '../../generated/operator-api.ts'
import { More } from '../../search.tsx'
import { Card, Facts, Loaded, Loading, Page, Problem, State, Table, Time } from '../../ui.tsx'

/** A report may be published while the list is open. */
const refresh_ms = 10_000

export function Certifications({ name }: { name: string }) {
  const { may } = useOperator()
  const found = useInfiniteQuery({
    queryKey: ['certifications', name],
    queryFn: ({ pageParam: cursor }) =>
      call('GET /participants/{name}/certifications', { name, cursor }),
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
    refetchInterval: refresh_ms,
  })
  const reports = found.data?.pages.flatMap((page) => page.certifications) ?? []
  return (
    <Card title="Certification reports">
      {found.isError && <Problem error={found.error} />}
      {found.isPending ? (
        <Loading />
      ) : (
        <Table
          caption={`Tests of the implementation of ${name}, the latest report first`}
          head={['Tested', 'Result', '#Passed', '#Failed', '#Not run', 'Uploaded', 'By']}
          empty="No report yet."
          rows={reports.map((report) => ({
            key: report.id,
            cells: [
              <Link key="at" href={participantPath(name, `/certifications/${report.id}`)}>
                <Time at={report.finishedAt} />
              </Link>,
              <State key="outcome" state={outcomeOf(report)} />,
              report.passed,
              report.failed,
              report.notRun,
              <Time key="uploaded" at={report.uploadedAt} />,
              report.uploadedBy,
            ],
          }))}
        />
      )}
      <More label="Earlier reports" of={found} />
      {may('MANAGE_PARTICIPANTS') && <Upload name={name} />}
    </Card>
  )
}

function Upload({ name }: { name: string }) {
  const id = useId()
  const client = useQueryClient()
  const upload = useMutation({
    mutationFn: async ({ file }: { readonly file: File; readonly form: HTMLFormElement }) =>
      call('POST /participants/{name}/certifications', { name, body: reportIn(await file.text()) }),
    onSuccess: (_, { form }) => form.reset(),
    onSettled: () => client.invalidateQueries(),
  })
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const file = new FormData(form).get('report')
    if (file instanceof File && !upload.isPending) upload.mutate({ file, form })
  }
  return (
    <form onSubmit={send}>
      <div className="field long">
        <label htmlFor={id}>Report of the certification kit</label>
        <input
          id={id}
          name="report"
          type="file"
          accept=".json,application/json"
          required
          aria-describedby={`hint-${id}`}
        />
        <small id={`hint-${id}`}>
          The file report.json that the kit has written about {name}; at most 4 MiB
        </small>
      </div>
      <div className="line">
        <button type="submit" className="primary" disabled={upload.isPending}>
          {upload.isPending ? 'Upload report…' : 'Upload report'}
        </button>
      </div>
      {upload.isError && <Problem error={upload.error} />}
      {upload.isSuccess && <div role="status">Report {upload.data.id} is stored.</div>}
    </form>
  )
}

export function CertificationPage({ name, id }: { name: string; id: string }) {
  const report = useQuery({
    queryKey: ['certification', name, id],
    queryFn: () => call('GET /participants/{name}/certifications/{id}', { name, id }),
  })
  return (
    <Page title={`Certification report ${id} of ${name}`}>
      <p>
        <Link href={participantPath(name, '/certifications')}>All reports of {name}</Link>
      </p>
      <Loaded query={report}>
        {(found) => (
          <>
            <Summary report={found} />
            <Cases results={found.results} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Summary({ report }: { report: CertificationReport }) {
  return (
    <Card title="Summary">
      <Facts
        of={{
          Result: <State state={outcomeOf(report)} />,
          Passed: report.passed,
          Failed: report.failed,
          'Not run': report.notRun,
          'Tested from': <Time at={report.startedAt} />,
          'Tested until': <Time at={report.finishedAt} />,
          'Callback URL': <code>{report.callbackUrl}</code>,
          Uploaded: <Time at={report.uploadedAt} />,
          'Uploaded by': report.uploadedBy,
        }}
      />
      <p>A case that was not run proves nothing about the participant.</p>
    </Card>
  )
}

function Cases({ results }: { results: readonly CertificationResult[] }) {
  const [onlyFailed, setOnlyFailed] = useState(false)
  const shown = onlyFailed ? results.filter(({ state }) => state === 'failed') : results
  return (
    <>
      <div className="checks">
        <label>
          <input
            type="checkbox"
            checked={onlyFailed}
            onChange={(event) => setOnlyFailed(event.currentTarget.checked)}
          />{' '}
          Failed cases only
        </label>
      </div>
      {shown.length === 0 && <p className="empty">No case has failed.</p>}
      {resultsByRole(shown).map(({ title, results: ofRole }) => (
        <Card key={title} title={title}>
          <Table
            caption="Cases in the order of the report"
            head={['Case', 'Result', 'Rule', 'Section']}
            empty="No cases."
            rows={ofRole.map((result) => ({
              key: result.id,
              cells: [
                <code key="id">{result.id}</code>,
                <State key="state" state={stateName(result.state)} />,
                <Rule key="rule" result={result} />,
                result.section,
              ],
            }))}
          />
        </Card>
      ))}
    </>
  )
}

/** With what a failed case expected and saw, or why the case was not run. */
function Rule({ result: { title, expected, seen, why } }: { result: CertificationResult }) {
  return (
    <div className="long">
      {title}
      <Facts of={{ Expected: expected, Seen: seen, Reason: why }} />
    </div>
  )
}
