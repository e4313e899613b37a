/** How one event of the catalogue is written down. */
import type { ServiceName } from '@causeway/services'
import type { z } from 'zod'

/** The publishers of events; each topic has one, except for those in `sharedTopics`. */
export type Publisher = ServiceName

export interface EventDefinition<
  Schema extends z.ZodType = z.ZodType,
  PublishedBy extends Publisher = Publisher,
> {
  readonly topic: string
  /** The services whose code publishes it; empty: none yet, or components outside the hub. */
  readonly publishers: readonly PublishedBy[]
  /** The services that subscribe to it. */
  readonly consumers: readonly Publisher[]
  /** The member of the payload that is the key; null for reports, which have none. */
  readonly key: string | null
  /** What it means, one sentence; the docs page prints it. */
  readonly about: string
  readonly schema: Schema
}

/** Keeps the literal types of a definition. */
export function define<Schema extends z.ZodType, const PublishedBy extends Publisher>(
  definition: EventDefinition<Schema, PublishedBy>,
): EventDefinition<Schema, PublishedBy> {
  return definition
}
