/** Two releases run side by side during a rolling update, and what one publishes the other has to read. */
import { describe, expect, test } from '@jest/globals'
import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { catalogue } from './catalogue/catalogue.ts'
import { releaseOf, unreadable, type Release } from './testing/compatibility.ts'
import { unpublished } from './unpublished.ts'

const releases = new URL('../releases/', import.meta.url)
const newest = readdirSync(releases)
  .filter((name) => name.endsWith('.json'))
  .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  .at(-1)
const before = JSON.parse(readFileSync(new URL(newest ?? '', releases), 'utf8')) as Release
const now = releaseOf(catalogue)

test('Consumers of the release before read all that this release publishes', () => {
  expect(unreadable(now, before).toSorted()).toEqual(Object.keys(unpublished).toSorted())
})

test('This release reads all that the release before publishes and has left in the log', () => {
  expect(unreadable(before, now)).toEqual([])
})

describe('a release cannot be read by the one before', () => {
  const payload = z.object({
    id: z.string(),
    state: z.enum(['OPEN', 'CLOSED']),
    note: z.string().max(10).optional(),
    legs: z.array(z.object({ role: z.literal('PAYER') })),
  })
  const releaseWith = (schema: z.ZodType, name = 'OrderPlaced', topic = 'shop') =>
    releaseOf({ [name]: { topic, publishers: [], consumers: [], key: 'id', about: '', schema } })
  const old = releaseWith(payload)
  const { id, note } = payload.shape

  test.each([
    ['an event is new', releaseWith(payload, 'OrderAmended'), 'OrderAmended is not known'],
    [
      'an event is on another topic',
      releaseWith(payload, 'OrderPlaced', 'mall'),
      'OrderPlaced is expected on shop, not on mall',
    ],
    [
      'a value is new',
      releaseWith(payload.extend({ state: z.enum(['OPEN', 'CLOSED', 'AJAR']) })),
      'OrderPlaced.state may be AJAR',
    ],
    [
      'any value may come',
      releaseWith(payload.extend({ state: z.string() })),
      'OrderPlaced.state may have other values than OPEN, CLOSED',
    ],
    [
      'a value within a list is new',
      releaseWith(
        payload.extend({ legs: z.array(z.object({ role: z.enum(['PAYER', 'PAYEE']) })) }),
      ),
      'OrderPlaced.legs[].role may be PAYEE',
    ],
    [
      'a member may be absent',
      releaseWith(payload.extend({ id: id.optional() })),
      'OrderPlaced.id may be absent',
    ],
    ['a member is gone', releaseWith(payload.omit({ id: true })), 'OrderPlaced.id may be absent'],
    [
      'a member has another type',
      releaseWith(payload.extend({ id: z.int() })),
      'OrderPlaced.id may be integer and not only string',
    ],
    [
      'a member may be null',
      releaseWith(payload.extend({ id: id.nullable() })),
      'OrderPlaced.id may be null and not only string',
    ],
    [
      'a member may be longer',
      releaseWith(payload.extend({ note: z.string().max(20).optional() })),
      'OrderPlaced.note has another maxLength',
    ],
  ])('The release before cannot read a release when %s', (_, release, sentence) => {
    expect(unreadable(release, old)).toEqual([sentence])
  })

  test.each([
    ['nothing has changed', releaseWith(payload)],
    ['a member is new', releaseWith(payload.extend({ more: z.string() }))],
    ['a value is no longer published', releaseWith(payload.extend({ state: z.literal('OPEN') }))],
    ['a member is always there', releaseWith(payload.extend({ note: note.unwrap() }))],
  ])('The release before can read a release when %s', (_, release) => {
    expect(unreadable(release, old)).toEqual([])
  })
})
