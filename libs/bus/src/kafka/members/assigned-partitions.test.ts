import { expect, test } from '@jest/globals'
import {
  finishedBefore,
  fitOf,
  noteFetched,
  openAssignedPartitions,
  toCommit,
  type AssignedPartition,
} from './assigned-partitions.ts'

function placeOf(assignedPartitions: ReturnType<typeof openAssignedPartitions>): AssignedPartition {
  const assigned = assignedPartitions.of('t', 0)
  if (assigned === undefined) throw new Error('it is not read')
  return assigned
}

function reading(next: number, unfinished: readonly number[]) {
  const assignedPartitions = openAssignedPartitions()
  assignedPartitions.assign({ t: [0] }, 0)
  const assigned = placeOf(assignedPartitions)
  for (const offset of unfinished) assigned.mark.begin(offset, 0)
  assigned.next = next
  return { assignedPartitions, assigned }
}

test('Every offset before the oldest unfinished message counts as finished', () => {
  const { assigned } = reading(7, [4, 5, 6])
  expect(finishedBefore(assigned)).toBe(4)
  assigned.mark.finish(5)
  expect(finishedBefore(assigned)).toBe(4)
  assigned.mark.finish(4)
  expect(finishedBefore(assigned)).toBe(6)
  assigned.mark.finish(6)
  expect(finishedBefore(assigned)).toBe(7)
})

test('Nothing is known of a partition without messages', () => {
  const assignedPartitions = openAssignedPartitions()
  assignedPartitions.assign({ t: [0] }, 0)
  expect(finishedBefore(placeOf(assignedPartitions))).toBeUndefined()
  expect(fitOf(placeOf(assignedPartitions), 100)).toBe('fits')
})

test('After a rebalance a partition that stays continues where it was', () => {
  const { assignedPartitions, assigned } = reading(7, [4])
  assignedPartitions.assign({ t: [0, 1] }, 1)
  expect(placeOf(assignedPartitions)).toBe(assigned)
})

test('A lost partition is no longer processed, and is read again from what was finished', () => {
  const { assignedPartitions, assigned } = reading(7, [4])
  assignedPartitions.assign({}, 1_000)
  expect(assigned.isLost).toBe(true)
  expect(assignedPartitions.of('t', 0)).toBeUndefined()
  assignedPartitions.assign({ t: [0] }, 2_000)
  expect(placeOf(assignedPartitions)).not.toBe(assigned)
  expect(placeOf(assignedPartitions).next).toBe(4)
})

test('A partition that was lost long ago is read from the offset of the group', () => {
  const { assignedPartitions } = reading(7, [4])
  assignedPartitions.assign({}, 1_000)
  assignedPartitions.assign({ t: [0] }, 40_000)
  expect(placeOf(assignedPartitions).next).toBeUndefined()
})

test('A fetch that leaves out messages is repeated before the gap is accepted', () => {
  const { assigned } = reading(7, [])
  expect(fitOf(assigned, 7)).toBe('fits')
  expect(fitOf(assigned, 3)).toBe('fits')
  expect(fitOf(assigned, 9)).toBe('leaves out')
  assigned.refetchedFrom = 7
  expect(fitOf(assigned, 9)).toBe('was deleted')
})

test('A partition that was lost and comes back commits nothing that others have passed', () => {
  const { assignedPartitions } = reading(7, [])
  assignedPartitions.assign({}, 1_000)
  assignedPartitions.assign({ t: [0] }, 2_000)
  const assigned = placeOf(assignedPartitions)
  // What the group has committed is not known yet.
  expect([finishedBefore(assigned), toCommit(assigned)]).toEqual([7, undefined])
  noteFetched(assigned, 9)
  expect(toCommit(assigned)).toBeUndefined()
  assigned.next = 10
  expect(toCommit(assigned)).toBe(10)
})

test('A partition that was lost and comes back commits what it could not commit before', () => {
  const { assignedPartitions } = reading(7, [])
  assignedPartitions.assign({}, 1_000)
  assignedPartitions.assign({ t: [0] }, 2_000)
  const assigned = placeOf(assignedPartitions)
  noteFetched(assigned, 5)
  expect(toCommit(assigned)).toBe(7)
})

test('A process that was silent for long does not commit back what others have committed meanwhile', () => {
  const { assignedPartitions, assigned } = reading(7, [])
  noteFetched(assigned, 4)
  expect(toCommit(assigned)).toBe(7)
  // It has missed that others had the partition, and keeps it.
  assignedPartitions.assign({ t: [0] }, 1_000)
  expect(toCommit(assigned)).toBeUndefined()
  noteFetched(assigned, 12)
  expect(toCommit(assigned)).toBeUndefined()
  assigned.next = 13
  // Later fetches begin at the position, which may not be committed.
  noteFetched(assigned, 13)
  expect(toCommit(assigned)).toBe(13)
})
