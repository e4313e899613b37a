/**
 * The role that serves, where another one owns and migrates the schema: it reads and writes rows and makes
 * partitions of months. It can change, empty or drop no table, and only add rows to a table whose comment
 * begins with `only added to`.
 */
import { StartError } from '@causeway/process'
import type { QueryResultRow } from 'pg'
import { onOwnConnection, connectionConfig, type ConnectionOptions } from '../connection.ts'

interface Table {
  readonly name: string
  readonly kind: string
  readonly wanted: readonly string[]
  readonly held: readonly string[]
}

interface Connection {
  query<Row extends QueryResultRow>(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: Row[] }>
}

/** The privileges on a partition are those on its table, so none are granted on it. */
const tablesOf = `
  select c.relname as name, c.relkind as kind,
    case when c.relkind = 'S' then array['SELECT', 'USAGE']
         when c.relname = 'migrations' or c.relkind in ('v', 'm') then array['SELECT']
         when obj_description(c.oid, 'pg_class') like 'only added to%' then array['INSERT', 'SELECT']
         else array['DELETE', 'INSERT', 'SELECT', 'UPDATE'] end as wanted,
    array(select privilege_type::text from aclexplode(c.relacl)
          where grantee = $2::text::regrole order by 1) as held
  from pg_class c
  where c.relnamespace = $1::text::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
    and not c.relispartition
  order by 1`

/** Grants what is missing and revokes what is too much; without a difference nothing is changed. */
export async function grantToServingRole(
  connection: Connection,
  schema: string,
  role: string,
): Promise<void> {
  const grantee = quoted(role)
  const { rows: rights } = await connection.query<{ uses: boolean; creates: boolean }>(
    `select has_schema_privilege($2, $1, 'USAGE') as uses,
            has_schema_privilege($2, $1, 'CREATE') as creates`,
    [schema, role],
  )
  if (rights[0]?.uses !== true)
    await connection.query(`grant usage on schema ${schema} to ${grantee}`)
  if (rights[0]?.creates === true) {
    await connection.query(`revoke create on schema ${schema} from ${grantee}`)
  }
  const { rows } = await connection.query<Table>(tablesOf, [schema, quoted(role)])
  for (const { name, kind, wanted, held } of rows) {
    if (wanted.join() === held.join()) continue
    const target = `${kind === 'S' ? 'sequence' : 'table'} ${schema}.${quoted(name)}`
    await connection.query(`revoke all on ${target} from ${grantee}`)
    await connection.query(`grant ${wanted.join(', ')} on ${target} to ${grantee}`)
  }
}

/** Gives everything in the schema to its owner; rows stay as they are. */
export async function handOver(
  connection: Connection,
  schema: string,
  owner: string,
): Promise<void> {
  const { rows } = await connection.query<{ statement: string }>(
    `select format('alter table %I.%I owner to %I', $1::text, relname, $2::text) as statement
       from pg_class c
      where relnamespace = $1::text::regnamespace and relowner <> $3::text::regrole
        and relkind in ('r', 'p', 'v', 'm', 'S')
        -- The sequence of a column follows its table.
        and not exists (select from pg_depend d
          where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')
            and c.relkind = 'S')
     union all
     select format('alter function %s owner to %I', oid::regprocedure, $2::text)
       from pg_proc where pronamespace = $1::text::regnamespace and proowner <> $3::text::regrole
     union all
     select format('alter domain %I.%I owner to %I', $1::text, typname, $2::text)
       from pg_type where typnamespace = $1::text::regnamespace and typtype = 'd'
        and typowner <> $3::text::regrole`,
    [schema, owner, quoted(owner)],
  )
  for (const { statement } of rows) await connection.query(statement)
}

/** Which role the URL names. Throws StartError for a URL without one. */
export function roleIn(setting: string, url: string): string {
  const role = URL.canParse(url) ? decodeURIComponent(new URL(url).username) : ''
  if (role === '') throw new StartError(`${setting} names no role.`)
  return role
}

/** SUPERUSER and OWNER can change and drop tables; SERVES cannot. */
export type RoleRights = 'SUPERUSER' | 'OWNER' | 'SERVES'

export function rightsIn(options: ConnectionOptions): Promise<RoleRights> {
  return onOwnConnection(connectionConfig(options), async (connection) => {
    const { rows } = await connection.query<{ rights: RoleRights }>(
      `select case when rolsuper then 'SUPERUSER'
                   when pg_has_role(nspowner, 'usage') then 'OWNER' else 'SERVES' end as rights
         from pg_roles, pg_namespace where rolname = current_user and nspname = $1`,
      [options.schema],
    )
    return rows[0]?.rights ?? 'OWNER'
  })
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
