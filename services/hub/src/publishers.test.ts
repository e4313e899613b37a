/** Compares the publishers in the event catalogue with the services' code. */
import { catalogue, newEvent } from '@causeway/events'
import { expect, test } from '@jest/globals'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const services = join(import.meta.dirname, '../..')

/** Packages that run inside a service and publish in its name. */
const hosted: Readonly<Record<string, string>> = { ledger: 'participant-lifecycle' }

/** The code of a service and of what it hosts, without tests. */
function codeOf(service: string): string {
  return [service, ...Object.keys(hosted).filter((name) => hosted[name] === service)]
    .map((name) => join(services, name, 'src'))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
        .filter((path) => !path.includes('testing'))
        .map((path) => readFileSync(join(folder, path), 'utf8')),
    )
    .join('\n')
}

/** Audit entries, and e-mails, are created by helpers that take the service's name. */
function publishes(code: string, service: string, name: string): boolean {
  if (name === '/audit-log-write') return new RegExp(`auditEntry\\(\\s*'${service}'`).test(code)
  if (name === '/log-write') return code.includes(`shipLog('${service}'`)
  const isMail =
    name === 'NotifyRequested' && new RegExp(`mailMessage\\(\\s*'${service}'`).test(code)
  return isMail || code.includes(`'${name}'`) || new RegExp(`\\b${name}:`).test(code)
}

const codes = new Map<string, string>()
for (const { publishers } of Object.values(catalogue)) {
  for (const service of publishers) codes.set(service, codes.get(service) ?? codeOf(service))
}

test('Each publisher of an event publishes it in its code', () => {
  const missing = Object.entries(catalogue).flatMap(([name, { publishers }]) =>
    publishers
      .filter((service) => !publishes(codes.get(service) ?? '', service, name))
      .map((service) => `${service}: ${name}`),
  )
  expect(missing).toEqual([])
})

test('Only the publishers of audit entries create them', () => {
  const { publishers } = catalogue['/audit-log-write']
  const makers = readdirSync(services)
    .filter((name) => hosted[name] === undefined)
    .filter((service) => /auditEntry\(\s*'/.test(codeOf(service)))
  expect(makers.toSorted()).toEqual(publishers.toSorted())
})

test('An event in the name of a service that does not publish it does not compile', () => {
  const payload = { transferId: 't-1', requesterFspId: 'greenbank', version: '1.1' }
  // @ts-expect-error quoting does not publish transfer queries
  const event = newEvent('quoting', 'TransferQueryReceived', payload)
  expect(event.type).toBe('TransferQueryReceived')
})
