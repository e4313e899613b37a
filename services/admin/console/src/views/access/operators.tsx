/** Operators, their roles and passwords. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useOperator } from '../../access.ts'
import { call, type OperationAnswer } from '../../api.ts'
import { AskButton, ChangeForm, listOf } from '../../change.tsx'
import type { Operator } from '../../generated/operator-api.ts'
import { searchPath } from '../../search.tsx'
import { Card, Loaded, Page, State, Table, Time } from '../../ui.tsx'
import { Once } from './once.tsx'
import { Roles, rolesQuery } from './roles.tsx'

export function Operators() {
  const { may } = useOperator()
  const operators = useQuery({
    queryKey: ['operators'],
    queryFn: () => call('GET /operators'),
  })
  const roles = useQuery(rolesQuery).data?.map(({ id }) => id) ?? []
  return (
    <Page title="Operators">
      <Card title="Operators and roles">
        <Loaded query={operators}>
          {(all) => (
            <Table
              caption="People and programs"
              head={['Name', 'State', 'Roles', 'Last log-in', 'Made', 'Next']}
              empty="No operators."
              rows={all.map((operator) => ({
                key: operator.name,
                cells: [
                  <>
                    {operator.name}
                    <br />
                    <small>
                      {operator.email ?? (operator.kind === 'PERSON' ? 'person' : 'program')}
                    </small>
                  </>,
                  <OperatorState key="state" of={operator} />,
                  operator.roles.join(', ') || 'none',
                  <Time key="last" at={operator.lastLogInDate} />,
                  <>
                    <Time at={operator.createdDate} /> <small>by {operator.createdBy}</small>
                  </>,
                  <Actions key="next" operator={operator} roles={roles} />,
                ],
              }))}
            />
          )}
        </Loaded>
      </Card>
      {may('MANAGE_OPERATORS') && <NewOperator roles={roles} />}
      <Roles />
    </Page>
  )
}

function OperatorState({ of }: { of: Operator }) {
  const isLocked = of.lockedUntil !== null && Date.parse(of.lockedUntil) > Date.now()
  return (
    <>
      <State state={of.isActive ? 'ACTIVE' : 'INACTIVE'} />
      {isLocked && (
        <>
          {' '}
          <State state="LOCKED" />{' '}
          <small>
            until <Time at={of.lockedUntil} />
          </small>
        </>
      )}
      {of.mustChangePassword && <small> still has an initial password</small>}
    </>
  )
}

/** Only this answer shows the password. */
function password(answer: unknown) {
  const { name, secret } = answer as OperationAnswer<'POST /operators'>
  return (
    <>
      <p>The initial password of {name} is shown only now. A person has to change it at once.</p>
      <Once label="Password" text={secret} />
    </>
  )
}

function Actions({ operator, roles }: { operator: Operator; roles: readonly string[] }) {
  const { may } = useOperator()
  const { name } = operator
  return (
    <>
      {may('MANAGE_OPERATORS') && (
        <>
          <GivenRoles operator={operator} roles={roles} />
          {operator.kind === 'PERSON' && <Email operator={operator} />}
          <AskButton
            label="New password"
            of={`of ${name}`}
            title={`Reset the password of ${name}?`}
            text={<p>Every session of {name} ends, and a lock is removed.</p>}
            way={{
              label: 'Create password',
              run: () => call('POST /operators/{operator}/secret-reset', { operator: name }),
              done: password,
            }}
          />
          {operator.kind === 'PERSON' && <ResetKeys name={name} />}
          <Activity operator={operator} />
        </>
      )}
      <Link href={`/sessions/${encodeURIComponent(name)}`}>
        Sessions<span className="unseen"> of {name}</span>
      </Link>{' '}
      {may('VIEW_AUDIT') && (
        <Link href={searchPath('/audit', { userId: name })}>
          Audit<span className="unseen"> of {name}</span>
        </Link>
      )}
    </>
  )
}

function GivenRoles({ operator, roles }: { operator: Operator; roles: readonly string[] }) {
  const { name } = operator
  return (
    <AskButton<'roles'>
      label="Roles"
      of={`of ${name}`}
      title={`Roles of ${name}`}
      text={<p>The roles apply from the next token on, which {name} gets automatically.</p>}
      fields={[{ name: 'roles', label: 'Roles', checks: roles, initial: operator.roles.join(',') }]}
      way={{
        label: 'Change roles',
        run: (values) =>
          call('PUT /operators/{operator}', {
            operator: name,
            body: { roles: listOf(values.roles) },
          }),
      }}
    />
  )
}

function Email({ operator: { name, email } }: { operator: Operator }) {
  return (
    <AskButton<'email'>
      label="E-mail"
      of={`of ${name}`}
      title={`E-mail of ${name}`}
      text={
        <p>
          Notices of pending requests and of decisions about the requests of {name} are sent there.
        </p>
      }
      fields={[
        { name: 'email', label: 'E-mail', type: 'email', initial: email ?? '', optional: true },
      ]}
      way={{
        label: 'Change e-mail',
        run: (values) =>
          call('PUT /operators/{operator}', {
            operator: name,
            body: { email: values.email || null },
          }),
      }}
    />
  )
}

function ResetKeys({ name }: { name: string }) {
  return (
    <AskButton
      label="Reset keys"
      of={`of ${name}`}
      title={`Remove the security keys of ${name}?`}
      text={
        <p>
          Every session of {name} ends. {name} then logs in without a key, and may have to register
          one.
        </p>
      }
      way={{
        label: 'Remove all keys',
        isDangerous: true,
        run: () => call('DELETE /operators/{operator}/fido-keys', { operator: name }),
      }}
    />
  )
}

function Activity({ operator: { name, isActive } }: { operator: Operator }) {
  const label = isActive ? 'Disable' : 'Enable'
  return (
    <AskButton
      label={label}
      of={name}
      kind={isActive ? 'danger' : ''}
      title={`${label} ${name}?`}
      text={
        <p>{isActive ? `Every session of ${name} ends at once.` : `${name} can log in again.`}</p>
      }
      way={{
        label: `${label} now`,
        isDangerous: isActive,
        run: () =>
          call('PUT /operators/{operator}', { operator: name, body: { isActive: !isActive } }),
      }}
    />
  )
}

function NewOperator({ roles }: { roles: readonly string[] }) {
  return (
    <Card title="Add operator">
      <ChangeForm<'name' | 'kind' | 'email' | 'roles'>
        fields={[
          { name: 'name', label: 'Name' },
          { name: 'kind', label: 'Kind', options: ['PERSON', 'MACHINE'] },
          { name: 'email', label: 'E-mail', type: 'email', optional: true },
          { name: 'roles', label: 'Roles', checks: roles },
        ]}
        ways={[
          {
            label: 'Create operator',
            run: ({ email, roles: chosen, ...values }) =>
              call('POST /operators', {
                body: { ...values, roles: listOf(chosen), ...(email ? { email } : {}) },
              }),
            done: password,
          },
        ]}
      />
    </Card>
  )
}
