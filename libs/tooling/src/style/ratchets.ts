/**
 * What may become less and never more: each count has a ceiling in ceilings.json, which is lowered with the
 * count. What is not there has no exception.
 */
import { longFunctions } from './rules.ts'
import { lineCount, relativeImports, sourceOf, visit, type SourceFile } from './source-file.ts'

const files_per_folder_max = 20
const small_lines = 60
const declarations_max = 5

/** A file with one importer says so in its first comment, and why: "A file of its own: …". */
const reason = /A file of its own: \w/

/** Lowest first: nothing imports from a shelf above its own. Tooling describes the other ones. */
const shelves = ['protos', 'libs', 'services', 'test-e2e', 'libs/tooling']

/** Names that say of a value only that something has happened to it. */
const bareParticiples = new Set(['asked', 'taken', 'settled', 'ended', 'heard'])
/** The turn that says what is not: "identifies nobody", "is given up for none". */
const negativeTurn = /\b(nobody|(?:for|to|of|from|by|in) none)\b/gi

export type Counts = Readonly<Record<string, number>>

interface Ratchet {
  readonly count: (files: readonly SourceFile[]) => Counts
  /** Of a count above its ceiling. */
  readonly says: (what: string, count: number) => string
}

export const ratchets = {
  folders: {
    count: largeFolders,
    says: (folder, count) => `${folder} has ${count} source files: at most ${files_per_folder_max}`,
  },
  smallFiles: {
    count: smallFiles,
    says: (path) =>
      `${path} has one importer and fewer than ${small_lines} lines: join them, or write "A file of its own: …" in its first comment`,
  },
  upwardImports: {
    count: upwardImports,
    says: (what, count) => `${count} imports run upward: ${what}`,
  },
  folderCircles: {
    count: folderCircles,
    says: (what) => `folders that import each other: ${what}`,
  },
  typeNames: {
    count: typeNames,
    says: (name, count) => `${count} files declare a type ${name}: give it its noun`,
  },
  words: {
    count: words,
    says: (word, count) => `${count} times "${word}": write what it is, or what holds`,
  },
  longTests: {
    count: longTests,
    says: (path, count) => `${path} has ${count} functions that are too long`,
  },
} satisfies Readonly<Record<string, Ratchet>>

export type RatchetName = keyof typeof ratchets
export type Ceilings = Readonly<Record<RatchetName, Counts>>

export function measured(files: readonly SourceFile[]): Ceilings {
  const counts = Object.entries(ratchets).map(([name, { count }]) => [name, sorted(count(files))])
  return Object.fromEntries(counts) as Ceilings
}

/** Every count above its ceiling as a sentence. */
export function aboveCeilings(now: Ceilings, ceilings: Ceilings): readonly string[] {
  return namesOf(now).flatMap((name) =>
    Object.entries(now[name])
      .filter(([what, count]) => count > (ceilings[name][what] ?? 0))
      .map(([what, count]) => ratchets[name].says(what, count)),
  )
}

/** The ceilings as low as the counts: no count of one becomes higher. */
export function lowered(now: Ceilings, ceilings: Ceilings): Ceilings {
  const names = namesOf(now).map((name) => {
    const kept = Object.entries(ceilings[name]).flatMap(([what, ceiling]) => {
      const count = Math.min(ceiling, now[name][what] ?? 0)
      return count === 0 ? [] : [[what, count] as const]
    })
    return [name, Object.fromEntries(kept)]
  })
  return Object.fromEntries(names) as Ceilings
}

function namesOf(counts: Ceilings): readonly RatchetName[] {
  return Object.keys(counts) as RatchetName[]
}

function sorted(counts: Counts): Counts {
  const entries = Object.entries(counts)
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

function countsOf(keys: Iterable<string>, more_than = 0): Counts {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return Object.fromEntries([...counts].filter(([, count]) => count > more_than))
}

function sources(files: readonly SourceFile[]): readonly SourceFile[] {
  return files.filter(({ isTest }) => !isTest)
}

function largeFolders(files: readonly SourceFile[]): Counts {
  return countsOf(
    sources(files).map(({ path }) => folderOf(path)),
    files_per_folder_max,
  )
}

/** What the package exports has importers that are not known here. */
function smallFiles(files: readonly SourceFile[]): Counts {
  const all = sources(files)
  const importers = new Map<string, readonly string[]>()
  for (const file of all) {
    for (const path of new Set(relativeImports(file))) {
      importers.set(path, [...(importers.get(path) ?? []), file.path])
    }
  }
  return countsOf(
    all.flatMap((file) => {
      const [importer, ...others] = importers.get(file.path) ?? []
      const isAlone = importer !== undefined && others.length === 0
      return isAlone &&
        !isEntry(importer) &&
        lineCount(file) < small_lines &&
        !reason.test(firstComment(file))
        ? [file.path]
        : []
    }),
  )
}

function isEntry(path: string): boolean {
  return /\/src\/(?:[\w-]+\/)?(index|testing)\.ts$/.test(path)
}

function firstComment({ text }: SourceFile): string {
  return text.startsWith('/**') ? text.slice(0, text.indexOf('*/')) : ''
}

function upwardImports(files: readonly SourceFile[]): Counts {
  const folders = new Map(files.map(({ path }) => [packageName(path), packageFolder(path)]))
  return countsOf(
    sources(files).flatMap(({ path, program }) => {
      const named = program.body.flatMap((node) => {
        const name = /^@causeway\/([^/]+)/.exec(sourceOf(node) ?? '')?.[1]
        const folder = name === undefined ? undefined : folders.get(name)
        return folder === undefined ? [] : [folder]
      })
      return [...new Set(named)]
        .filter((folder) => shelfOf(folder) > shelfOf(path))
        .map((folder) => `${packageFolder(path)} -> ${folder}`)
    }),
  )
}

function shelfOf(path: string): number {
  return shelves.findLastIndex((shelf) => `${path}/`.startsWith(`${shelf}/`))
}

function packageFolder(path: string): string {
  const found = /^(?:(?:libs|services)\/[^/]+(?:\/console)?|test-e2e\/(?!src\/)[^/]+)(?=\/)/.exec(
    path,
  )
  return found?.[0] ?? path.split('/')[0] ?? ''
}

function packageName(path: string): string {
  return packageFolder(path).split('/').at(-1) ?? ''
}

/** Of folders beside each other, types included. */
function folderCircles(files: readonly SourceFile[]): Counts {
  const edges = new Map<string, Set<string>>()
  for (const file of sources(files)) {
    for (const to of relativeImports(file)) {
      const [one, other] = foldersApart(file.path, to)
      if (one !== undefined && other !== undefined) {
        edges.set(one, (edges.get(one) ?? new Set<string>()).add(other))
      }
    }
  }
  const reached = new Map([...edges.keys()].map((folder) => [folder, reachableFrom(folder, edges)]))
  return countsOf(
    new Set(
      [...edges.keys()].flatMap((folder) => {
        const circle = [...(reached.get(folder) ?? [])].filter((other) =>
          reached.get(other)?.has(folder),
        )
        return circle.length === 0 ? [] : [circle.toSorted().join(', ')]
      }),
    ),
  )
}

/** The two folders beside each other that the paths lie in; a path directly above them has none. */
function foldersApart(from: string, to: string): readonly (string | undefined)[] {
  const [one, other] = [from.split('/'), to.split('/')]
  let same = 0
  while (one[same] === other[same]) same += 1
  return [one, other].map((path) =>
    path.length > same + 1 ? path.slice(0, same + 1).join('/') : undefined,
  )
}

function reachableFrom(
  start: string,
  edges: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const reached = new Set<string>()
  const next = [start]
  for (let folder = next.pop(); folder !== undefined; folder = next.pop()) {
    for (const other of edges.get(folder) ?? []) {
      if (!reached.has(other)) next.push(other)
      reached.add(other)
    }
  }
  return reached
}

function typeNames(files: readonly SourceFile[]): Counts {
  return countsOf(
    sources(files).flatMap(({ program }) => {
      const names = program.body.flatMap((node) => {
        const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : node
        return declared?.type === 'TSInterfaceDeclaration' ||
          declared?.type === 'TSTypeAliasDeclaration'
          ? [declared.id.name]
          : []
      })
      return [...new Set(names)]
    }),
    declarations_max,
  )
}

function words(files: readonly SourceFile[]): Counts {
  const found: string[] = []
  for (const file of sources(files)) {
    found.push(...(file.text.match(negativeTurn) ?? []).map((turn) => turn.toLowerCase()))
    visit(file.program, (node) => {
      if (node.type === 'Identifier' && bareParticiples.has(node.name)) found.push(node.name)
    })
  }
  return countsOf(found)
}

function longTests(files: readonly SourceFile[]): Counts {
  const tests = files.filter(({ isTest }) => isTest)
  return countsOf(tests.flatMap((file) => longFunctions(file).map(() => file.path)))
}
