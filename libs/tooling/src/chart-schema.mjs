/**
 * The part of values.schema.json about settings, from the programs that read them: an unknown name, a
 * value beyond its bound and a secret are refused before anything is installed. Run after a build it
 * writes that part; a test fails when it is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { facts, serviceNames } from './deployment.mjs'

const file = new URL('../../../helm/causeway/values.schema.json', import.meta.url)

export function readChartSchema() {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** @param definitions by service: the settings that it reads. */
export function withSettings(schema, definitions) {
  const open = new Map(serviceNames.map((name) => [name, withoutSecrets(definitions.get(name))]))
  const all = Object.assign({}, ...open.values())
  const properties = Object.fromEntries(
    Object.keys(all)
      .toSorted()
      .map((name) => [name, schemaOf(all[name])]),
  )
  const services = serviceNames.map((name) => {
    const names = Object.keys(open.get(name)).toSorted()
    const known = Object.fromEntries(names.map((each) => [each, true]))
    const settings = { properties: known, additionalProperties: false }
    return [name, { allOf: [{ $ref: '#/definitions/service' }, { properties: { settings } }] }]
  })
  return {
    ...schema,
    properties: {
      ...schema.properties,
      services: { ...schema.properties.services, properties: Object.fromEntries(services) },
    },
    definitions: {
      ...schema.definitions,
      settings: {
        type: 'object',
        description: 'environment variables; a secret has no place here',
        additionalProperties: false,
        properties,
      },
    },
  }
}

function withoutSecrets(definitions) {
  return Object.fromEntries(Object.entries(definitions).filter(([, { secret }]) => secret !== true))
}

/** An empty text is a setting that is not given. */
function schemaOf({ about, kind, unit, min: minimum, max: maximum, options }) {
  switch (kind) {
    case 'integer': {
      const description = unit === '' ? about : `${unit}: ${about}`
      const text = { type: 'string', pattern: '^(-?[0-9]{1,15})?$' }
      return { description, anyOf: [{ type: 'integer', minimum, maximum }, text] }
    }
    case 'choice':
      return { description: about, enum: ['', ...options] }
    default:
      return { description: about, type: ['string', 'integer'] }
  }
}

async function main() {
  const { format } = await import('oxfmt')
  const { distributedSettings, grpcUrls } =
    await import('../../runtime/dist/distributed-settings.js')
  const { settingsOfProcess } = await import('../../process/dist/process.js')
  const definitions = new Map()
  for (const name of serviceNames) {
    const { settings } = await import(`../../../services/${name}/dist/settings.js`)
    const others = facts[name].calls.filter((each) => each !== name)
    const ofAll = { ...grpcUrls(others), ...distributedSettings, ...settingsOfProcess }
    definitions.set(name, { ...settings, ...ofAll })
  }
  const text = JSON.stringify(withSettings(readChartSchema(), definitions))
  const { code } = await format(fileURLToPath(file), text, { printWidth: 100 })
  writeFileSync(file, code)
}

if (import.meta.url === `file://${process.argv[1]}`) await main()
