/** The certification as a command: what it tests, prints and writes. */
import { readSigning } from '@causeway/fsp'
import { generateKeyPairSync } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Case, type CaseResult } from './case.ts'
import { cases } from './cases/index.ts'
import { type CommandOptions, readOptions, verifying, WrongOption } from './options.ts'
import { openPeer } from './peer.ts'
import { publish } from './publish.ts'
import { openReference, referenceFacts } from './reference.ts'
import { htmlOf } from './reports/html.ts'
import { junitOf } from './reports/junit.ts'
import { type CertificationReport, reportOf } from './reports/report.ts'
import { runCases } from './run.ts'
import type { CertificationSettings } from './settings.ts'

/**
 * True when cases were run and none failed. Rejects when the report is written, but could not be
 * published.
 */
export async function certify(
  parameters: readonly string[],
  print: (line: string) => void,
): Promise<boolean> {
  const options = await readOptions(parameters)
  const chosen = casesOf(options)
  if (options.isList) {
    for (const { id, title, section } of chosen) print(`${id}\t${section}\t${title}`)
    return true
  }
  const startedAt = new Date().toISOString()
  const { settings, results } = options.isReference
    ? await runReference(options, chosen, (result) => print(lineOf(result)))
    : await run(options, chosen, print)
  const report = reportOf(
    {
      fsp: settings.fsp,
      callbackUrl: settings.callbackUrl,
      startedAt,
      finishedAt: new Date().toISOString(),
    },
    results,
  )
  await writeReport(options.report, report)
  const { passed, failed, notRun } = report
  print(`${passed} passed, ${failed} failed, ${notRun} not run: ${options.report}/report.html`)
  if (options.publishing !== undefined) {
    print(`published: ${await publish(report, options.publishing)}`)
  }
  return failed === 0 && passed > 0
}

function casesOf({ roles, ids }: CommandOptions): readonly Case[] {
  const chosen = cases.filter(
    ({ id, role }) =>
      roles.includes(role) && (ids.length === 0 || ids.some((begin) => id.startsWith(begin))),
  )
  if (chosen.length === 0) throw new WrongOption('no case has such an id and role (--list)')
  return chosen
}

interface CertificationRun {
  readonly settings: CertificationSettings
  readonly results: readonly CaseResult[]
}

async function run(
  { settings, host, port }: CommandOptions,
  chosen: readonly Case[],
  print: (line: string) => void,
): Promise<CertificationRun> {
  const peer = await openPeer({ ...settings, host, port, callbackUrl: () => settings.callbackUrl })
  print(`the hub for ${settings.fsp} is ${peer.url}`)
  const results = await runCases(chosen, settings, peer, (result) => print(lineOf(result)))
  await peer.stop()
  return { settings, results }
}

/** Starts the reference FSP, with keys of its own on both sides. */
async function runReference(
  { settings: given, host, port }: CommandOptions,
  chosen: readonly Case[],
  onResult: (result: CaseResult) => void,
): Promise<CertificationRun> {
  const [signing, fspSigning] = await Promise.all([newSigning(), newSigning()])
  const own = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const theirs = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  let callbackUrl = ''
  const peer = await openPeer({
    ...given,
    signing,
    host,
    port,
    callbackUrl: () => callbackUrl,
  })
  const reference = await openReference({
    name: given.fsp,
    hubUrl: peer.url,
    signing: fspSigning,
    kitKeys: [verifying(signing)],
    encryption: { key: theirs.privateKey, peerKey: () => own.publicKey },
    resendAfter_ms: given.silence_ms / 10,
  })
  callbackUrl = reference.callbackUrl
  const settings: CertificationSettings = {
    ...given,
    ...referenceFacts,
    callbackUrl,
    signing,
    fspKeys: [verifying(fspSigning)],
    encryptionKey: own.privateKey,
    fspEncryptionKey: theirs.publicKey,
    trigger: reference.trigger,
  }
  const results = await runCases(chosen, settings, peer, onResult)
  await reference.stop()
  await peer.stop()
  return { settings, results }
}

async function newSigning() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return readSigning(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
}

const marks = { passed: 'passed ', failed: 'FAILED ', notRun: 'not run' } as const

function lineOf(result: CaseResult): string {
  const head = `${marks[result.state]}  ${result.id}: ${result.title} (${result.section})`
  switch (result.state) {
    case 'passed':
      return head
    case 'notRun':
      return `${head}\n         ${result.why}`
    case 'failed':
      return `${head}\n         expected ${result.expected}\n         seen ${result.seen}`
  }
}

async function writeReport(folder: string, report: CertificationReport): Promise<void> {
  await mkdir(folder, { recursive: true })
  await Promise.all([
    writeFile(join(folder, 'report.json'), `${JSON.stringify(report, undefined, 2)}\n`),
    writeFile(join(folder, 'report.xml'), junitOf(report)),
    writeFile(join(folder, 'report.html'), htmlOf(report)),
  ])
}
