/**
 * zod schemas as JSON Schema: the schemas that requests are read with and answers are checked
 * against.
 */
import { z } from 'zod'
import type { Json } from '../json.ts'

export type Schema = { readonly [member: string]: Json }

/** A named schema is written once, in the document's components. */
export type Named = Map<string, Schema>

/** As a client writes it. */
export function requestSchema(schema: z.ZodType, named: Named): Schema {
  return converted(schema, 'input', named)
}

/** As a client reads it. */
export function answerSchema(schema: z.ZodType, named: Named): Schema {
  return converted(schema, 'output', named)
}

function converted(schema: z.ZodType, io: 'input' | 'output', named: Named): Schema {
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  const moved = JSON.parse(
    JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as Schema
  const { $schema: _, $defs = {}, ...rest } = moved
  for (const [name, definition] of Object.entries($defs as Schema)) {
    const { id: __, ...members } = definition as Schema
    named.set(name, members)
  }
  if (typeof rest['id'] !== 'string') return rest
  const { id, ...members } = rest
  named.set(id, members)
  return { $ref: `#/components/schemas/${id}` }
}
