/**
 * Beside the types that are generated from each .proto file, from the same files, before the compiler
 * runs:
 *
 * - protos/src/generated/definitions.ts: the gRPC services of the hub as constants; a service `Pings`
 *   is the constant `pingsService`;
 * - protos/src/generated/messages.ts: the type of each message and enum by its name. An enum `State`
 *   within the message `Consent` is `ConsentState`, its values are `consentStateValues`. A name that two
 *   packages have is left out.
 *
 * An `optional` field of a message may also be undefined, which is not written.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const folder = new URL('../../../protos/', import.meta.url)

const contracts = readdirSync(folder)
  .filter((file) => file.endsWith('.proto'))
  .toSorted()
  .map((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8')
    const services = [...text.matchAll(/^service (\w+) \{/gm)].map(([, service = '']) => service)
    return { name: file.replace(/\.proto$/, ''), packageName: packageOf(text), services }
  })

const imports = contracts.map(
  ({ name }) => `import type { ProtoGrpcType as ${pascal(name)} } from './${name}.ts'`,
)
const constants = contracts.flatMap(({ name, packageName, services }) => [
  '',
  `const ${camel(name)} = (loadContract('${name}.proto') as ${pascal(name)}).${packageName}`,
  ...services.map(
    (service) => `export const ${lowered(service)}Service = ${camel(name)}.${service}.service`,
  ),
])

const text = [
  '/** The gRPC services of the hub; written by the build from the .proto files. */',
  "import { loadContract } from '../contract.ts'",
  ...imports,
  ...constants,
  '',
].join('\n')
writeFileSync(new URL('src/generated/definitions.ts', folder), text)
writeFileSync(new URL('src/generated/messages.ts', folder), messagesText())
const generatedFolder = new URL('src/generated/causeway/', folder)
for (const file of readdirSync(generatedFolder, { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.ts')) continue
  const path = new URL(file, generatedFolder)
  const generated = readFileSync(path, 'utf8')
  writeFileSync(path, generated.replaceAll(/^ {2}'\w+'\?: \([^|\n]*(?=\);$)/gm, '$& | undefined'))
}

/** Throws for a contract that names no package. */
function packageOf(contract: string): string {
  const [, name] = /^package ([\w.]+);$/m.exec(contract) ?? []
  if (name === undefined) throw new Error('a contract names no package')
  return name
}

interface ExportedMessage {
  readonly name: string
  readonly lines: readonly string[]
}

function messagesText(): string {
  const exported = [
    ...contracts.map(({ name }) => `${name}.proto`),
    ...readdirSync(new URL('messages/', folder)).map((file) => `messages/${file}`),
  ]
    .flatMap(exportedOf)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const once = exported.filter(
    ({ name }) => exported.filter((other) => other.name === name).length === 1,
  )
  return [
    '/** The messages and enums of the hub; written by the build from the .proto files. */',
    ...once.flatMap(({ lines }) => lines),
    '',
  ].join('\n')
}

function exportedOf(file: string): readonly ExportedMessage[] {
  const text = readFileSync(new URL(file, folder), 'utf8')
  const packageName = packageOf(text)
  const exported: ExportedMessage[] = []
  const outer: string[] = []
  for (const line of text.split('\n')) {
    const [, indent = '', kind, own = ''] = /^( *)(message|enum) (\w+) \{/.exec(line) ?? []
    if (own === '') continue
    outer.length = indent.length / 2
    const [parent = own] = outer
    const from = `'./${packageName.replaceAll('.', '/')}/${parent}.ts'`
    const name = [...outer, own].join('')
    const source =
      outer.length === 0 ? own : `_${[packageName.replaceAll('.', '_'), ...outer, own].join('_')}`
    const lines = [`export type { ${source}__Output as ${name} } from ${from}`]
    if (kind === 'enum') {
      lines.push(
        `import { ${source} as ${name}Enum } from ${from}`,
        `export const ${lowered(name)}Values = Object.values(${name}Enum)`,
      )
    }
    exported.push({ name, lines })
    outer.push(own)
  }
  return exported
}

function camel(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function pascal(name: string): string {
  const text = camel(name)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function lowered(name: string): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`
}
