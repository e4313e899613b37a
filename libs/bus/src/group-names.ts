/** The consumer groups of a service begin with its folder name in snake_case. */

/** Whether the group is `auth_service`, or begins with `auth_service.` or `auth_service_`. */
export function isGroupOf(service: string, group: string): boolean {
  const name = service.replaceAll('-', '_')
  return group === name || group.startsWith(`${name}.`) || group.startsWith(`${name}_`)
}
