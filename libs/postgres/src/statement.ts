/** A statement is prepared under a name made of its text, so one text has one name everywhere. */
import { createHash } from 'node:crypto'
import type { Statement } from './database.ts'

/** Call once at module level: PostgreSQL parses and plans it once per connection. */
export function statement(text: string): Statement {
  return { name: createHash('sha256').update(text).digest('base64url').slice(0, 22), text }
}
