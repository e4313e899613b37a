/**
 * Anchors in a file, one line each, which is only ever appended to. The file belongs on a volume that
 * the owner of the database cannot write.
 */
import { constants, createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { StartError } from '@causeway/process'
import {
  anchorLine,
  readAnchor,
  UnreadableAnchors,
  type AnchorLine,
  type AnchorStore,
} from './anchor.ts'

/** Creates the file if it does not exist. Throws StartError when it cannot be written. */
export async function openAnchorFile(setting: string, path: string): Promise<AnchorStore> {
  try {
    const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600)
    await file.close()
  } catch (error) {
    throw new StartError(`${setting}: ${error instanceof Error ? error.message : String(error)}.`)
  }
  return {
    name: 'file',
    lines: () => readable(linesOf(path)),
    last: () => lastLineOf(path),
    async append(anchor) {
      // Not created again: a file that is gone is a fault, and a new one would hide it.
      const file = await open(path, constants.O_WRONLY | constants.O_APPEND)
      try {
        await file.write(`${anchorLine(anchor)}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
    },
  }
}

/** Longer than any anchor. */
const tail_bytes = 4_096

/** Reads the end of the file alone, which grows for years. */
async function lastLineOf(path: string): Promise<AnchorLine | undefined> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(tail_bytes),
      position: Math.max(size - tail_bytes, 0),
    })
    const text = buffer.toString('utf8', 0, bytesRead).replace(/\n$/, '')
    if (text === '') return undefined
    return { name: 'the last line', anchor: readAnchor(text.slice(text.lastIndexOf('\n') + 1)) }
  } finally {
    await file.close()
  }
}

async function* readable(lines: AsyncIterable<AnchorLine>): AsyncIterable<AnchorLine> {
  try {
    yield* lines
  } catch (error) {
    throw new UnreadableAnchors(error)
  }
}

async function* linesOf(path: string): AsyncIterable<AnchorLine> {
  const input = createReadStream(path, 'utf8')
  const lines = createInterface({ input, crlfDelay: Infinity })
  let number = 0
  for await (const text of lines) {
    number += 1
    yield { name: `line ${number}`, anchor: readAnchor(text) }
  }
}
