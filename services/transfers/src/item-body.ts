/** The part of a message about a bulk that concerns one of its items. */

/**
 * The item's part of a body, as JSON; the body itself where it has none, none is found, or the body is
 * erased.
 */
export function itemIn(body: Buffer, transferId: string): Buffer {
  if (body.length === 0) return body
  const { individualTransfers, individualTransferResults, ...rest } = JSON.parse(
    body.toString('utf8'),
  ) as BulkBody
  const items = individualTransfers ?? individualTransferResults
  if (items === undefined) return body
  const item = items.find((one) => one.transferId === transferId)
  return item === undefined ? body : Buffer.from(JSON.stringify({ ...rest, ...item }))
}

interface BulkBody {
  readonly individualTransfers?: readonly ItemBody[]
  readonly individualTransferResults?: readonly ItemBody[]
}

interface ItemBody {
  readonly transferId: string
}
