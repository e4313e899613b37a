/** A TypeScript file as the style rules see it: its syntax tree, its lines, what it imports. */
import { parseSync, visitorKeys, type Node, type Program } from 'oxc-parser'

export interface SourceFile {
  readonly path: string
  readonly text: string
  readonly program: Program
  /** Offsets in the text. */
  readonly lineStarts: readonly number[]
  readonly isTest: boolean
  /** It stands around the hub, for stories, the bench and the simulation. */
  readonly isAround: boolean
  /** Of the folder in libs, services or test-e2e; otherwise the folder at the top. */
  readonly packageName: string
  readonly isService: boolean
}

const packagePath = /^(?:(?:libs|services)\/|test-e2e\/(?!src\/))([^/]+)\//

/** Throws an Error with the path for text that is not TypeScript. */
export function readFile(path: string, text: string): SourceFile {
  const { program, errors } = parseSync(path, text)
  const [error] = errors
  if (error !== undefined) throw new Error(`${path}: ${error.message}`)
  return {
    path,
    text,
    program,
    lineStarts: lineStartsOf(text),
    isTest: /\.test\.ts$|\/testing(\.ts$|\/)|\/test-[^/]+\.ts$/.test(path),
    isAround: path.startsWith('test-e2e/'),
    packageName: packagePath.exec(path)?.[1] ?? path.split('/')[0] ?? '',
    isService: path.startsWith('services/'),
  }
}

/** Each node of the tree with the one above it, from the top down. */
export function visit(program: Program, check: (node: Node, above: Node | undefined) => void) {
  const below = (node: Node, above: Node | undefined) => {
    check(node, above)
    for (const key of visitorKeys[node.type] ?? []) {
      for (const child of [(node as unknown as Record<string, unknown>)[key]].flat()) {
        if (child !== null && child !== undefined) below(child as Node, node)
      }
    }
  }
  below(program, undefined)
}

/** Counted from 1. */
export function lineOf(file: SourceFile, node: Node | undefined): number {
  return node === undefined ? 1 : lineAt(file, node.start)
}

export function linesOf(file: SourceFile, node: Node): number {
  return lineAt(file, node.end) - lineAt(file, node.start) + 1
}

export function lineCount({ text }: SourceFile): number {
  return text.split('\n').length - 1
}

export function textOf({ text }: SourceFile, node: Node): string {
  return text.slice(node.start, node.end)
}

/** What an import or export declaration names; undefined: the node is something else. */
export function sourceOf(node: Node): string | undefined {
  return /^(Import|ExportNamed|ExportAll)Declaration$/.test(node.type) && 'source' in node
    ? ((node.source as { readonly value: string } | null)?.value ?? undefined)
    : undefined
}

/** The paths of the files that a file imports by a relative path. */
export function relativeImports({ path, program }: SourceFile): readonly string[] {
  const base = `file:///${path}`
  return program.body.flatMap((node) => {
    const from = sourceOf(node)
    return from?.startsWith('.') === true ? [new URL(from, base).pathname.slice(1)] : []
  })
}

function lineStartsOf(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function lineAt({ lineStarts }: SourceFile, offset: number): number {
  const after = lineStarts.findIndex((start) => start > offset)
  return after < 0 ? lineStarts.length : after
}
