/**
 * `npm run docs:site`: the web site docs/site/dist of all pages of the repository and of
 * both APIs. Installs what docs/site names, then gathers in docs/site/pages what VitePress reads. Fails
 * where a page links to a page that does not exist. Exits with 3 where npm does not give the packages.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defaultDocument } from '@causeway/admin/openapi'
import { z } from 'zod'
import { readFspOpenApi } from './fsp-openapi.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const site = join(root, 'docs/site')
const pages = join(site, 'pages')

const operation = z.object({ summary: z.string() })
const openApi = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) })

const { packageManager } = z
  .object({ packageManager: z.string() })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
const install = ['install', '--frozen-lockfile', '--reporter=append-only', '--loglevel=warn']
if (run('npx', ['--yes', packageManager, ...install]) !== 0) {
  process.stdout.write('NOT RUN: site: npm cannot install the packages of docs/site\n')
  process.exit(3)
}
rmSync(pages, { recursive: true, force: true })
copyPages()
writeApi('fsp', 'API for FSPs', readFspOpenApi())
// As a hub serves it whose settings are all at their defaults.
writeApi('operator', 'API for operators', defaultDocument())
copyFromPackage('mermaid/dist/mermaid.esm.min.mjs', 'mermaid/mermaid.esm.min.mjs')
copyFromPackage('mermaid/dist/chunks/mermaid.esm.min', 'mermaid/chunks/mermaid.esm.min')
for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
  copyFromPackage(`swagger-ui-dist/${name}`, `api/${name}`)
}
process.exit(run('node', ['node_modules/vitepress/bin/vitepress.js', 'build']))

/** Copies, because VitePress finds its own packages only from below its folder. */
function copyPages(): void {
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md']
  const paths = execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).split('\n')
  for (const path of paths.filter((each) => each !== '')) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(pages, path))
  }
  const document = 'docs/fsp-api.openapi.json'
  cpSync(join(root, document), join(pages, 'public', document))
}

/** A page with the operations, which the search finds, and Swagger UI with everything about them. */
function writeApi(name: string, title: string, document: unknown): void {
  const rows = Object.entries(openApi.parse(document).paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, { summary }]) => `| ${method.toUpperCase()} | \`${path}\` | ${summary} |`,
    ),
  )
  const page = `# ${title}

<a href="./${name}/index.html" target="_self">Messages, headers and errors of each operation</a>; <a href="./${name}/openapi.json" target="_self">as an OpenAPI document</a>.

| | path | |
|---|---|---|
${rows.join('\n')}
`
  write(join(pages, 'api', `${name}.md`), page)
  write(join(pages, 'public/api', name, 'openapi.json'), JSON.stringify(document))
  write(join(pages, 'public/api', name, 'index.html'), swaggerPage(title))
}

function swaggerPage(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Causeway: ${title}</title>
<link rel="stylesheet" href="../swagger-ui.css">
</head>
<body>
<div id="page"></div>
<script src="../swagger-ui-bundle.js"></script>
<script>
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#page',
  deepLinking: true,
  docExpansion: 'none',
  supportedSubmitMethods: [],
})
</script>
</body>
</html>
`
}

function copyFromPackage(source: string, target: string): void {
  cpSync(join(site, 'node_modules', source), join(pages, 'public', target), { recursive: true })
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Its exit code. */
function run(program: string, args: readonly string[]): number {
  const { status, error } = spawnSync(program, args, { cwd: site, stdio: 'inherit' })
  if (error !== undefined) throw error
  return status ?? 1
}
