/**
 * The rights of the processes at the brokers: each has a user of its name, that may write and read what is
 * granted, the dead letters of its services, and nothing else. Rights that are no longer granted are revoked, but
 * only below the prefix of this hub: other hubs may use the same brokers.
 */
import kafkajs, { type AclEntry, type AclFilter, type Admin } from 'kafkajs'
import { ownGroups, ownTopics, type TopicsOptions } from './topics.ts'

export interface TopicAccess {
  /** The name of a process, and of its user. */
  readonly user: string
  /** The services that it runs. */
  readonly services: readonly string[]
  readonly writes: readonly string[]
  readonly reads: readonly string[]
}

const { AclOperationTypes: may, AclPermissionTypes: permission } = kafkajs
const { AclResourceTypes: resource, ResourcePatternTypes: pattern } = kafkajs

/** The members of the options of topics that rights depend on. */
type TopicNames = Pick<TopicsOptions, 'prefix' | 'catalogue'>

export async function grant(
  admin: Admin,
  access: readonly TopicAccess[],
  topics: TopicNames,
): Promise<void> {
  for (const each of access) {
    const wanted = rightsOf(each, topics)
    const granted = await entriesOfUser(admin, principalOf(each.user))
    const missing = wanted.filter((entry) => !granted.some((other) => isSame(entry, other)))
    const revoked = granted.filter(
      (entry) =>
        entry.resourceName.startsWith(topics.prefix) &&
        !wanted.some((other) => isSame(entry, other)),
    )
    if (missing.length > 0) await admin.createAcls({ acl: missing })
    const filters = revoked.map((entry): AclFilter => entry)
    if (filters.length > 0) await admin.deleteAcls({ filters })
  }
}

function principalOf(user: string): string {
  return `User:${user}`
}

/** Every process may describe every topic: at its start it checks that all exist. */
export function rightsOf(
  { user, services, writes, reads }: TopicAccess,
  { prefix, catalogue }: TopicNames,
): readonly AclEntry[] {
  const entry = (
    resourceType: number,
    resourceName: string,
    resourcePatternType: number,
    operation: number,
  ): AclEntry => ({
    resourceType,
    resourceName: `${prefix}${resourceName}`,
    resourcePatternType,
    principal: principalOf(user),
    host: '*',
    operation,
    permissionType: permission.ALLOW,
  })
  const ofTopics = (names: readonly string[], operation: number) =>
    names.map((name) => entry(resource.TOPIC, name, pattern.LITERAL, operation))
  const own = services.map(ownTopics).flatMap(({ deadLetters, replays }) => [deadLetters, replays])
  const groups = services.map((service) => service.replaceAll('-', '_'))
  return [
    ...ofTopics([...catalogue, ...own], may.DESCRIBE),
    ...ofTopics([...writes, ...own], may.WRITE),
    ...ofTopics([...reads, ...own], may.READ),
    ...groups.flatMap((group) => [
      entry(resource.GROUP, group, pattern.LITERAL, may.READ),
      entry(resource.GROUP, `${group}_`, pattern.PREFIXED, may.READ),
    ]),
    ...[...new Set([...services, user].map((name) => ownGroups('', name)))].map((begin) =>
      entry(resource.GROUP, begin, pattern.PREFIXED, may.READ),
    ),
    entry(resource.GROUP, ownGroups('', user), pattern.PREFIXED, may.DELETE),
  ]
}

async function entriesOfUser(admin: Admin, principal: string): Promise<readonly AclEntry[]> {
  const { resources } = await admin.describeAcls({
    resourceType: resource.ANY,
    resourcePatternType: pattern.ANY,
    principal,
    operation: may.ANY,
    permissionType: permission.ANY,
  })
  return resources.flatMap(({ acls, ...of }) =>
    acls.map((acl) => ({
      resourceType: of.resourceType,
      resourceName: of.resourceName,
      resourcePatternType: of.resourcePatternType,
      ...acl,
    })),
  )
}

const members = ['resourceType', 'resourceName', 'resourcePatternType', 'operation'] as const

function isSame(one: AclEntry, other: AclEntry): boolean {
  return members.every((member) => one[member] === other[member])
}
