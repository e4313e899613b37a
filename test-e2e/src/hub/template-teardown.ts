/** Runs after the stories of a run. */
import { removeRunFolder } from '@causeway/embedded-postgres/testing'
import { stopHubs } from './hubs.ts'

export default async function templateTeardown(): Promise<void> {
  try {
    await stopHubs()
  } finally {
    removeRunFolder()
  }
}
