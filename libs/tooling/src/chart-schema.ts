/**
 * The part of values.schema.json about settings, from the programs that read them: an unknown name, a
 * value beyond its bound and a secret are refused before anything is installed. `npm run docs` writes that
 * part; a test fails when it is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { settingsOfService } from '@causeway/hub/settings'
import {
  settingsOfProcess,
  type SettingDefinition,
  type SettingDefinitions,
} from '@causeway/process'
import { distributedSettings, grpcUrls } from '@causeway/runtime'
import { callsOf, serviceNames, type ServiceName } from '@causeway/services'
import { format } from 'oxfmt'
import { z } from 'zod'

const file = new URL('../../../helm/causeway/values.schema.json', import.meta.url)

const jsonObject = z.record(z.string(), z.unknown())

type JsonObject = z.infer<typeof jsonObject>

export function readChartSchema(): JsonObject {
  return jsonObject.parse(JSON.parse(readFileSync(file, 'utf8')))
}

/** Every setting that the process of a service reads in a distributed hub. */
export function distributedSettingsOf(service: ServiceName): SettingDefinitions {
  return {
    ...settingsOfService(service),
    ...grpcUrls(callsOf(service)),
    ...distributedSettings,
    ...settingsOfProcess,
  }
}

/** The schema with this part as it should be. Throws for one in which its place is missing. */
export function withSettings(schema: JsonObject): JsonObject {
  const open = serviceNames.map(
    (name) => [name, withoutSecrets(distributedSettingsOf(name))] as const,
  )
  const all = new Map(open.flatMap(([, definitions]) => definitions))
  const schemas = [...all].map(([name, definition]) => [name, schemaOf(definition)] as const)
  const services = open.map(([name, definitions]) => {
    const known = Object.fromEntries(byName(definitions).map(([each]) => [each, true]))
    const settings = { properties: known, additionalProperties: false }
    const own = { properties: { settings } }
    return [name, { allOf: [{ $ref: '#/definitions/service' }, own] }] as const
  })
  const properties = jsonObject.parse(schema['properties'])
  return {
    ...schema,
    properties: {
      ...properties,
      services: {
        ...jsonObject.parse(properties['services']),
        properties: Object.fromEntries(services),
      },
    },
    definitions: {
      ...jsonObject.parse(schema['definitions']),
      settings: {
        type: 'object',
        description: 'environment variables; a secret has no place here',
        additionalProperties: false,
        properties: Object.fromEntries(byName(schemas)),
      },
    },
  }
}

function byName<Value>(
  entries: readonly (readonly [string, Value])[],
): readonly (readonly [string, Value])[] {
  return entries.toSorted(([one], [other]) => (one < other ? -1 : 1))
}

function withoutSecrets(
  definitions: SettingDefinitions,
): readonly (readonly [string, SettingDefinition])[] {
  return Object.entries(definitions).filter(([, each]) => each.kind !== 'text' || !each.secret)
}

/** An empty text is a setting that is not given. */
function schemaOf(definition: SettingDefinition): JsonObject {
  const { about } = definition
  switch (definition.kind) {
    case 'integer': {
      const { unit, min: minimum, max: maximum } = definition
      const description = unit === '' ? about : `${unit}: ${about}`
      const text = { type: 'string', pattern: '^(-?[0-9]{1,15})?$' }
      return { description, anyOf: [{ type: 'integer', minimum, maximum }, text] }
    }
    case 'choice':
      return { description: about, enum: ['', ...definition.options] }
    case 'text':
      return { description: about, type: ['string', 'integer'] }
  }
}

export async function writeChartSchema(): Promise<void> {
  const text = JSON.stringify(withSettings(readChartSchema()))
  const { code } = await format(fileURLToPath(file), text, { printWidth: 100 })
  writeFileSync(file, code)
}
