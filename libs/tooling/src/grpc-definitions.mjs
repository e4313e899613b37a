/**
 * The gRPC services of the hub as constants: protos/src/generated/definitions.ts, from the .proto
 * files. A service `Pings` is the constant `pingsService`. The build runs it before the compiler.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const folder = new URL('../../../protos/', import.meta.url)

const contracts = readdirSync(folder)
  .filter((file) => file.endsWith('.proto'))
  .toSorted()
  .map((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8')
    const [, packageName] = /^package ([\w.]+);$/m.exec(text)
    const services = [...text.matchAll(/^service (\w+) \{/gm)].map(([, service]) => service)
    return { name: file.replace(/\.proto$/, ''), packageName, services }
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

function camel(name) {
  return name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase())
}

function pascal(name) {
  const [first, ...rest] = camel(name)
  return `${first.toUpperCase()}${rest.join('')}`
}

function lowered(name) {
  return `${name[0].toLowerCase()}${name.slice(1)}`
}
