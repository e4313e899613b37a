/** With what the hub is compared: its other layouts, or another checkout of this repository. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** What differs from the options of the first hub. */
export interface OtherHub {
  readonly apart: number | undefined
  readonly groups: number | undefined
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
export function otherHub(given: string, layout: Omit<OtherHub, 'checkout'>): OtherHub {
  const embedded = { apart: undefined, groups: undefined, checkout: undefined }
  if (given === 'embedded') return embedded
  if (given === 'apart') return { ...embedded, apart: layout.apart ?? 1 }
  if (given === 'groups') return { ...embedded, groups: layout.groups ?? 1 }
  const checkout = resolve(given)
  if (existsSync(resolve(checkout, program))) return { ...layout, checkout }
  throw new Error(
    `--against takes embedded, apart, groups or the folder of another checkout, built there: ${checkout} has no ${program}`,
  )
}
