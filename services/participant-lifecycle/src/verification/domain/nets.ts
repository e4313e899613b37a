/** Whether a settlement window has counted what was posted in it. */

/** Of one account under one model in one window. */
export interface Net {
  readonly windowId: number
  readonly modelId: number
  readonly accountId: number
  /** Payer's side plus, payee's side minus. */
  readonly net: bigint
  readonly transfers: bigint
}

export interface NetDifference {
  readonly counted: Net
  /** What the entries of the window come to. */
  readonly posted: Net
}

export type Nets = Map<string, Net>

/** Adds what a slice of the entries comes to. */
export function addNets(nets: Nets, more: readonly Net[]): void {
  for (const net of more) {
    const place = placeOf(net)
    const before = nets.get(place)
    nets.set(
      place,
      before === undefined
        ? net
        : { ...net, net: before.net + net.net, transfers: before.transfers + net.transfers },
    )
  }
}

/** In the order of windows, models and accounts. */
export function netDifferences(
  counted: readonly Net[],
  posted: ReadonlyMap<string, Net>,
): readonly NetDifference[] {
  const places = new Set(counted.map(placeOf))
  const uncounted = [...posted.values()].filter((net) => !places.has(placeOf(net)))
  return [
    ...counted.map((net) => ({ counted: net, posted: posted.get(placeOf(net)) ?? nothing(net) })),
    ...uncounted.map((net) => ({ counted: nothing(net), posted: net })),
  ]
    .filter((pair) => pair.counted.net !== pair.posted.net || isOtherCount(pair))
    .toSorted((a, b) => byPlace(a.counted, b.counted))
}

function isOtherCount({ counted, posted }: NetDifference): boolean {
  return counted.transfers !== posted.transfers
}

function placeOf({ windowId, modelId, accountId }: Net): string {
  return `${windowId}/${modelId}/${accountId}`
}

function nothing(net: Net): Net {
  return { ...net, net: 0n, transfers: 0n }
}

function byPlace(a: Net, b: Net): number {
  return a.windowId - b.windowId || a.modelId - b.modelId || a.accountId - b.accountId
}
