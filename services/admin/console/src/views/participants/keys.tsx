/** A participant's keys, client secrets and certificates. */
import { useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { call, type OperationAnswer } from '../../api.ts'
import { AskButton, ChangeForm, filled } from '../../change.tsx'
import type { Key } from '../../generated/operator-api.ts'
import { Card, Loaded, State, Table, Time } from '../../ui.tsx'
import { Certificates } from './certificates.tsx'
import { Once } from '../access/once.tsx'

export function Keys({ name }: { name: string }) {
  const { may } = useOperator()
  return (
    <>
      <PublicKeys name={name} />
      {may('VIEW_CREDENTIALS') && <Certificates name={name} />}
      {may('MANAGE_CREDENTIALS') && (
        <div className="cards">
          <Certificate name={name} />
          <Secrets name={name} />
        </div>
      )}
    </>
  )
}

type KeyField = 'use' | 'kid' | 'publicKey'

function PublicKeys({ name }: { name: string }) {
  const { may } = useOperator()
  const keys = useQuery({
    queryKey: ['keys', name],
    queryFn: () => call('GET /participants/{name}/keys', { name }),
  })
  return (
    <Card title="Public keys">
      <Loaded query={keys}>
        {(all) => (
          <Table
            caption={`Keys of ${name}, oldest first; every valid key verifies`}
            head={['Key', 'For', 'State', 'From', 'Until', 'By', 'Next']}
            empty="No key yet: signatures of this participant cannot be verified."
            rows={all.map((key) => ({
              key: key.kid,
              cells: [
                <code key="kid">{key.kid}</code>,
                `${key.use === 'sig' ? 'signatures' : 'encryption'}, ${key.publicKey.crv ?? key.publicKey.kty}`,
                <State key="state" state={stateOf(key, Date.now())} />,
                <Time key="from" at={key.validFrom} />,
                <Time key="to" at={key.validTo} />,
                key.createdBy,
                may('MANAGE_CREDENTIALS') && stateOf(key, Date.now()) !== 'ENDED' && (
                  <EndKey key="end" name={name} kid={key.kid} />
                ),
              ],
            }))}
          />
        )}
      </Loaded>
      {may('MANAGE_CREDENTIALS') && (
        <ChangeForm<KeyField>
          fields={[
            { name: 'use', label: 'For', options: ['sig', 'enc'] },
            { name: 'kid', label: 'Key id', optional: true, hint: 'derived from the key if empty' },
            { name: 'publicKey', label: 'Public key, as PEM or JWK', isLong: true },
          ]}
          ways={[
            {
              label: 'Add key',
              run: ({ use, kid, publicKey }) =>
                call('POST /participants/{name}/keys', {
                  name,
                  body: { use, publicKey, ...filled({ kid }) },
                }),
              done: 'The key is valid from now on, in addition to the others.',
            },
          ]}
        />
      )}
    </Card>
  )
}

function stateOf({ validFrom, validTo }: Key, now: number): string {
  if (validTo !== null && Date.parse(validTo) <= now) return 'ENDED'
  return Date.parse(validFrom) > now ? 'LATER' : 'VALID'
}

function EndKey({ name, kid }: { name: string; kid: string }) {
  return (
    <AskButton<'at'>
      label="End"
      kind="danger"
      title={`End key ${kid}?`}
      text={<p>Messages signed with it later are refused. The key stays in the list.</p>}
      fields={[
        {
          name: 'at',
          label: 'Ends, UTC',
          type: 'datetime-local',
          optional: true,
          hint: 'now, if empty',
        },
      ]}
      way={{
        label: 'End key',
        isDangerous: true,
        run: ({ at }) =>
          at === ''
            ? call('DELETE /participants/{name}/keys/{kid}', { name, kid })
            : call('PUT /participants/{name}/keys/{kid}', {
                name,
                kid,
                body: { validTo: new Date(`${at}Z`).toISOString() },
              }),
      }}
    />
  )
}

function Certificate({ name }: { name: string }) {
  return (
    <Card title="Certificate">
      <p>
        The private key never leaves the FSP: it sends a certificate signing request (CSR), which is
        certified here.
      </p>
      <ChangeForm<'csr'>
        fields={[{ name: 'csr', label: 'Certificate signing request, as PEM', isLong: true }]}
        ways={[
          {
            label: 'Certify',
            run: ({ csr }) =>
              call('POST /participants/{name}/certificates', { name, body: { csr: `${csr}\n` } }),
            done: (answer) => {
              const { certificate, ca, validTo } =
                answer as OperationAnswer<'POST /participants/{name}/certificates'>
              return (
                <>
                  <p>
                    Valid until <Time at={validTo} />. Give both to {name}.
                  </p>
                  <Once label="Certificate" text={certificate} />
                  <Once label="Authority" text={ca} />
                </>
              )
            },
          },
        ]}
      />
    </Card>
  )
}

function Secrets({ name }: { name: string }) {
  return (
    <Card title="Client secrets">
      <p>
        For FSPs that authenticate with bearer tokens. A secret is shown once, when it is created.
      </p>
      <div className="line">
        <AskButton
          label="New secret"
          text={<p>{name} gets one more secret; the others stay valid.</p>}
          way={{
            label: 'Create secret',
            run: () => call('POST /participants/{name}/client-secrets', { name }),
            done: (answer) => {
              const { clientId, clientSecret } =
                answer as OperationAnswer<'POST /participants/{name}/client-secrets'>
              return (
                <>
                  <p>
                    Client id: <code>{clientId}</code>. The secret is not stored in readable form:
                    copy it now.
                  </p>
                  <Once label="Client secret" text={clientSecret} />
                </>
              )
            },
          }}
        />
        <AskButton
          label="End all secrets"
          kind="danger"
          title={`End all secrets of ${name}?`}
          text={<p>{name} cannot get tokens until it has a new secret.</p>}
          way={{
            label: 'End all secrets',
            isDangerous: true,
            run: () => call('DELETE /participants/{name}/client-secrets', { name }),
          }}
        />
      </div>
    </Card>
  )
}
