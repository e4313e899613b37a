/**
 * Whether the one who decides about a request is a second person: another one than its maker, with whom
 * no secret was shared; and whether the maker may still make it.
 */
import { grants } from '@causeway/services/privileges'
import type { PersonsQuestion } from '@causeway/approvals'
import type { Queries } from '@causeway/postgres'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { privilegesOf } from './domain/operator.ts'
import { allRoles } from './role-store.ts'
import { areRelated, operatorsOf } from './store.ts'

/** @param apart_ms how long two operators are one person after one knew a secret of the other */
export async function personsFault(
  db: Queries,
  { maker, by, privilege }: PersonsQuestion,
  apart_ms: number,
): Promise<RefusedCommand | undefined> {
  const [operator] = await operatorsOf(db, [maker])
  // Without log-in no operator is known.
  if (privilege !== undefined && operator !== undefined) {
    const may =
      operator.isActive && grants(privilegesOf(await allRoles(db), operator.roles), privilege)
    if (!may) return refuse('PRIVILEGE_MISSING', `${maker} may no longer do this: ${privilege}`)
  }
  return (await areRelated(db, [maker, by], apart_ms))
    ? refuse('SAME_PERSON', `${by} and ${maker} have shared a password: a third person must decide`)
    : undefined
}
