import { describe, expect, test } from '@jest/globals'
import { addNets, netDifferences, type Net, type Nets } from './nets.ts'

const counted: Net = { windowId: 3, modelId: 1, accountId: 7, net: 5n, transfers: 2n }

function posted(...slices: readonly Net[]): Nets {
  const nets: Nets = new Map()
  for (const slice of slices) addNets(nets, [slice])
  return nets
}

describe('a window', () => {
  test('A window whose nets match its transfers over all slices has no difference', () => {
    const slices = posted(
      { ...counted, net: 8n, transfers: 1n },
      { ...counted, net: -3n, transfers: 1n },
    )
    expect(netDifferences([counted], slices)).toEqual([])
  })

  test.each([
    ['another net', { net: 6n }],
    ['another number of transfers', { transfers: 3n }],
  ])('A window with %s differs', (_, changes) => {
    const other = { ...counted, ...changes }
    expect(netDifferences([counted], posted(other))).toEqual([{ counted, posted: other }])
  })

  test('A net without entries and entries without a net are differences', () => {
    const nothing = { ...counted, net: 0n, transfers: 0n }
    expect(netDifferences([counted], posted())).toEqual([{ counted, posted: nothing }])
    expect(netDifferences([], posted(counted))).toEqual([{ counted: nothing, posted: counted }])
  })

  test('Windows, models and accounts are not confused, and differences are ordered', () => {
    const places = [
      { ...counted, windowId: 2 },
      { ...counted, modelId: 2 },
      { ...counted, accountId: 8 },
    ]
    const differences = netDifferences([counted], posted(...places))
    expect(
      differences.map(({ posted: { windowId, modelId, accountId } }) => [
        windowId,
        modelId,
        accountId,
      ]),
    ).toEqual([
      [2, 1, 7],
      [3, 1, 7],
      [3, 1, 8],
      [3, 2, 7],
    ])
  })

  test('A net of zero equals a missing net', () => {
    expect(netDifferences([{ ...counted, net: 0n, transfers: 0n }], posted())).toEqual([])
  })
})
