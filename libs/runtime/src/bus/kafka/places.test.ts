import { expect, test } from '@jest/globals'
import { finishedBefore, fitOf, openPlaces, type Place } from './places.ts'

function placeOf(places: ReturnType<typeof openPlaces>): Place {
  const place = places.of('t', 0)
  if (place === undefined) throw new Error('it is not read')
  return place
}

function reading(next: number, unfinished: readonly number[]) {
  const places = openPlaces()
  places.assign({ t: [0] }, 0)
  const place = placeOf(places)
  for (const offset of unfinished) place.mark.begin(offset, 0)
  place.next = next
  return { places, place }
}

test('everything before the oldest unfinished one is finished', () => {
  const { place } = reading(7, [4, 5, 6])
  expect(finishedBefore(place)).toBe(4)
  place.mark.finish(5)
  expect(finishedBefore(place)).toBe(4)
  place.mark.finish(4)
  expect(finishedBefore(place)).toBe(6)
  place.mark.finish(6)
  expect(finishedBefore(place)).toBe(7)
})

test('nothing is known of a partition from which nothing has come', () => {
  const places = openPlaces()
  places.assign({ t: [0] }, 0)
  expect(finishedBefore(placeOf(places))).toBeUndefined()
  expect(fitOf(placeOf(places), 100)).toBe('fits')
})

test('what the group divides anew goes on where it was', () => {
  const { places, place } = reading(7, [4])
  places.assign({ t: [0, 1] }, 1)
  expect(placeOf(places)).toBe(place)
})

test('what is lost is not worked on any more, and is read anew from what was finished', () => {
  const { places, place } = reading(7, [4])
  places.assign({}, 1_000)
  expect(place.isLost).toBe(true)
  expect(places.of('t', 0)).toBeUndefined()
  places.assign({ t: [0] }, 2_000)
  expect(placeOf(places)).not.toBe(place)
  expect(placeOf(places).next).toBe(4)
})

test('what was lost long ago is read from where the group is', () => {
  const { places } = reading(7, [4])
  places.assign({}, 1_000)
  places.assign({ t: [0] }, 40_000)
  expect(placeOf(places).next).toBeUndefined()
})

test('an answer that begins behind what was taken is asked for again before it is believed', () => {
  const { place } = reading(7, [])
  expect(fitOf(place, 7)).toBe('fits')
  expect(fitOf(place, 3)).toBe('fits')
  expect(fitOf(place, 9)).toBe('leaves out')
  place.soughtAgain = 7
  expect(fitOf(place, 9)).toBe('was deleted')
})
