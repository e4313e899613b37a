/** Runs the commands of a page of docs/runbooks as a person pastes them, on the machine of a hub. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectFolder } from './npm-runner.ts'

const pages = join(projectFolder, 'docs/runbooks')

/** What stops and starts the hub where `systemctl` is called. */
export interface ServiceManager {
  stop(): Promise<unknown>
  start(): Promise<unknown>
}

export interface Runbooks {
  /** The names of all pages but the first one. */
  readonly pages: readonly string[]
  /**
   * The output of the commands under the numbered headings of a page from one to another, after those of
   * the first page. Rejects when one of them fails.
   */
  run(page: string, variables?: Variables, range?: Range): Promise<string>
  close(): void
}

type Variables = Readonly<Record<string, string>>

interface Range {
  readonly from?: number
  readonly to?: number
}

/** @param folder the folder in which the person works */
export async function openRunbooks(
  folder: string,
  manager: ServiceManager,
  variables: Variables,
): Promise<Runbooks> {
  const actions: Readonly<Record<string, () => Promise<unknown>>> = {
    '/stop': () => manager.stop(),
    '/start': () => manager.start(),
    '/restart': () => manager.stop().then(() => manager.start()),
  }
  const server = createServer((request, response) => {
    const act = actions[request.url ?? ''] ?? (() => Promise.reject(new Error('unknown')))
    act().then(
      () => response.end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  const programs = await standInFor('systemctl', folder, address.port)
  const env = { ...process.env, ...variables, PATH: `${programs}:${process.env['PATH'] ?? ''}` }

  return {
    pages: linkedPages(),
    async run(page, own = {}, range = {}) {
      const commands = [...commandsOf('README'), ...commandsOf(page, range)].join('\n')
      const options = { cwd: folder, env: { ...env, ...own }, maxBuffer: 2 ** 24 }
      const { stdout } = await promisify(execFile)(
        'bash',
        ['-euo', 'pipefail', '-c', commands],
        options,
      )
      return stdout
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A program of that name which asks the test; returns its folder. */
async function standInFor(name: string, folder: string, port: number): Promise<string> {
  const programs = join(folder, 'bin')
  await mkdir(programs, { recursive: true })
  const path = join(programs, name)
  await writeFile(path, `#!/bin/sh\nexec curl -sS --fail-with-body "http://127.0.0.1:${port}/$1"\n`)
  await chmod(path, 0o755)
  return programs
}

function read(page: string): string {
  return readFileSync(join(pages, `${page}.md`), 'utf8')
}

function linkedPages(): readonly string[] {
  return [...read('README').matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name = '']) => name)
}

/** The blocks of code under headings `## N.`; of a page without them, and without a range, all. */
function commandsOf(page: string, { from = 0, to = Infinity }: Range = {}): readonly string[] {
  return read(page)
    .split(/^## /m)
    .filter((section) => {
      const number = Number(/^(\d+)\. /.exec(section)?.[1] ?? 0)
      return number >= from && number <= to
    })
    .flatMap(blocksIn)
}

const shell = 'sh\n'

/** Every second part between the fences is a block. */
function blocksIn(section: string): readonly string[] {
  return section
    .split(/^```/m)
    .filter((part, at) => at % 2 === 1 && part.startsWith(shell))
    .map((part) => part.slice(shell.length))
}
