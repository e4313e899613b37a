/** With what the hub is compared: its other layouts, or another checkout of this repository. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** What differs from the options of the first hub. */
export interface OtherHub {
  readonly apart: number | undefined
  readonly checkout: string | undefined
}

export interface Against {
  readonly other: OtherHub
  /** Of each hub. */
  readonly windows: number
  readonly window_s: number
}

/** Of each hub; fewer give no verdict. */
export const windows_min = 12

const program = 'services/hub/dist/start.js'

/** Throws with one sentence when it is neither a layout nor a checkout that is built. */
export function otherHub(given: string, apart: number | undefined): OtherHub {
  if (given === 'embedded') return { apart: undefined, checkout: undefined }
  if (given === 'apart') return { apart: apart ?? 1, checkout: undefined }
  const checkout = resolve(given)
  if (existsSync(resolve(checkout, program))) return { apart, checkout }
  throw new Error(
    `--against takes embedded, apart or the folder of another checkout, built there: ${checkout} has no ${program}`,
  )
}
