/** Before the stories of a run. */
import { openRunFolder } from '@causeway/runtime/testing'
import { keepHubs } from './hubs.ts'
import { openHub } from './scheme.ts'
import { makeTemplate } from './template.ts'

export default async function templateSetup(): Promise<void> {
  openRunFolder()
  await makeTemplate()
  await keepHubs(openHub)
}
