/** Compares the nets counted in settlement windows with what was posted in them. */

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
  /** The sum of the window's entries. */
  readonly posted: Net
}

export type Nets = Map<string, Net>

/** Adds the sums of a slice of the entries. */
export function addNets(nets: Nets, more: readonly Net[]): void {
  for (const net of more) {
    const key = keyOf(net)
    const before = nets.get(key)
    nets.set(
      key,
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
  const keys = new Set(counted.map(keyOf))
  const uncounted = [...posted.values()].filter((net) => !keys.has(keyOf(net)))
  return [
    ...counted.map((net) => ({ counted: net, posted: posted.get(keyOf(net)) ?? nothing(net) })),
    ...uncounted.map((net) => ({ counted: nothing(net), posted: net })),
  ]
    .filter((pair) => pair.counted.net !== pair.posted.net || isOtherCount(pair))
    .toSorted((a, b) => byKey(a.counted, b.counted))
}

function isOtherCount({ counted, posted }: NetDifference): boolean {
  return counted.transfers !== posted.transfers
}

function keyOf({ windowId, modelId, accountId }: Net): string {
  return `${windowId}/${modelId}/${accountId}`
}

function nothing(net: Net): Net {
  return { ...net, net: 0n, transfers: 0n }
}

function byKey(a: Net, b: Net): number {
  return a.windowId - b.windowId || a.modelId - b.modelId || a.accountId - b.accountId
}
