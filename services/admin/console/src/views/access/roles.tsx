/** The privileges of each role; an operator can define further roles. */
import { useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { AskButton, listOf, type FieldOf } from '../../change.tsx'
import type { Role } from '../../generated/operator-api.ts'
import { Card, Loaded, Table } from '../../ui.tsx'

export const rolesQuery = { queryKey: ['roles'], queryFn: () => call('GET /roles') }

type RoleField = 'id' | 'labelName' | 'description' | 'privileges'

export function Roles() {
  const { may } = useOperator()
  const roles = useQuery(rolesQuery)
  const privileges = useQuery({
    queryKey: ['privileges'],
    queryFn: () => call('GET /privileges'),
  })
  const known = (privileges.data ?? []).map(({ id }) => id).toSorted()
  const mayChange = may('MANAGE_OPERATORS')
  return (
    <Card title="Roles">
      <Loaded query={roles}>
        {(all) => (
          <Table
            caption="Privileges of each role; * matches every privilege with that prefix"
            head={['Role', 'For', 'Privileges', 'Next']}
            empty="No roles."
            rows={all.map((role) => ({
              key: role.id,
              cells: [
                role.id,
                <>
                  {role.labelName}
                  {role.description !== '' && <small> {role.description}</small>}
                </>,
                <small key="privileges">{role.privileges.join(', ') || 'none'}</small>,
                role.isBuiltIn
                  ? 'predefined'
                  : mayChange && <RoleButton key="next" role={role} known={known} />,
              ],
            }))}
          />
        )}
      </Loaded>
      {mayChange && <RoleButton known={known} />}
    </Card>
  )
}

/** Changes a role, or creates a new one. */
function RoleButton({ role, known }: { role?: Role; known: readonly string[] }) {
  const idField: readonly FieldOf<RoleField>[] =
    role === undefined ? [{ name: 'id', label: 'Role id' }] : []
  return (
    <AskButton<RoleField>
      label={role === undefined ? 'New role' : 'Change'}
      title={role === undefined ? 'New role' : `Change role ${role.id}`}
      text={<p>The change applies to every operator with this role from the next request on.</p>}
      fields={[
        ...idField,
        { name: 'labelName', label: 'Label', initial: role?.labelName ?? '' },
        {
          name: 'description',
          label: 'Description',
          initial: role?.description ?? '',
          optional: true,
        },
        {
          name: 'privileges',
          label: 'Privileges',
          checks: [...new Set([...known, ...(role?.privileges ?? [])])],
          initial: role?.privileges.join(',') ?? '',
        },
      ]}
      way={{
        label: 'Save role',
        run: ({ id, labelName, description, privileges }) =>
          call('PUT /roles/{role}', {
            role: role?.id ?? id,
            body: { labelName, description, privileges: listOf(privileges) },
          }),
      }}
    />
  )
}
