/** The flags of `npm start`; an unknown flag stops the start with an error that names it. */
import { readFileSync } from 'node:fs'
import { parseArgs, parseEnv } from 'node:util'
import { StartError } from '@causeway/process'

export interface Flags {
  /** Print the outcome of the first payment alone, and stop; exit 0 if it was made, else 1. */
  readonly once: boolean
  /** Print the summary as one JSON object on the last line of stdout. */
  readonly json: boolean
  /** Start without the sandbox: no FSPs, no onboarding, no payment. */
  readonly noSandbox: boolean
  /** Start a sandbox PISP too; the first payment is from an account that it has linked. */
  readonly pisp: boolean
  /** Start a third sandbox FSP too; the first payment is a payroll of 1,000 people, in bulk. */
  readonly bulk: boolean
  /** Delete the contents of DATA_DIR first. */
  readonly fresh: boolean
  readonly printSettings: boolean
  readonly help: boolean
  /** Settings from `--set NAME=VALUE`. */
  readonly set: Readonly<Record<string, string>>
  /** Settings from `--env-file FILE`. */
  readonly file: Readonly<Record<string, string>>
}

export const usage = `npm start -- [flags]
  --once              make one payment, print its outcome, stop; exit 0 if it was made, else 1
  --json              print the summary as one JSON object on the last line of stdout
  --no-sandbox        start the hub alone, without FSPs, onboarding and payment
  --pisp              link an account through a sandbox PISP with a FIDO key and pay from it
  --bulk              pay 1,000 people at two sandbox FSPs at once, in bulk
  --fresh             delete the contents of DATA_DIR first
  --print-settings    list every setting with value, default, bound and origin
  --set NAME=VALUE    set a setting (repeatable)
  --env-file FILE     read settings from a file of NAME=VALUE lines
`

/** Reads the flags; throws StartError for the first invalid one. */
export function readFlags(args: readonly string[]): Flags {
  const { values } = parse(args)
  if (values.pisp && values.bulk) {
    throw new StartError('--pisp and --bulk each choose the first payment: give one of them.')
  }
  return {
    once: values.once,
    json: values.json,
    noSandbox: values['no-sandbox'],
    pisp: values.pisp,
    bulk: values.bulk,
    fresh: values.fresh,
    printSettings: values['print-settings'],
    help: values.help,
    set: Object.fromEntries(values.set.map(nameAndValue)),
    file: values['env-file'] === undefined ? {} : readEnvFile(values['env-file']),
  }
}

function parse(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        once: flag,
        json: flag,
        'no-sandbox': flag,
        pisp: flag,
        bulk: flag,
        fresh: flag,
        'print-settings': flag,
        help: flag,
        set: { type: 'string', multiple: true, default: [] },
        'env-file': { type: 'string' },
      },
    })
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split('. ')
    throw new StartError(`${sentence}. \`npm start -- --help\` lists the flags.`)
  }
}

function nameAndValue(text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new StartError(`--set takes NAME=VALUE, not ${text}.`)
  return [text.slice(0, at), text.slice(at + 1)]
}

function readEnvFile(path: string): Readonly<Record<string, string>> {
  try {
    const values = parseEnv(readFileSync(path, 'utf8'))
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? '']))
  } catch (error) {
    throw new StartError(`The file ${path} cannot be read: ${(error as Error).message}.`)
  }
}
