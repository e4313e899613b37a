/**
 * Writes the pages and files that are made of the code: all of `npm run docs` except for the events and the
 * schemas of databases. Unit tests fail while one of them is stale.
 */
import { writeChartSchema } from './chart-schema.ts'
import { writeConsoleTypes } from './console-types.ts'
import { writeFspOpenApi } from './fsp-openapi.ts'
import { writeHardeningPage } from './hardening.ts'
import { writeServiceFiles } from './service-files.ts'
import { writeSettingsPage } from './settings-reference.ts'

writeServiceFiles()
await writeChartSchema()
writeSettingsPage()
writeHardeningPage()
await writeFspOpenApi()
await writeConsoleTypes()
