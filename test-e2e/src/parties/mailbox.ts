/** A mail server that accepts every mail and records it. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'

export interface Mailbox {
  readonly url: string
  /** "address: subject", in order of arrival. */
  readonly mails: readonly string[]
  /** Resolves when as many mails match. */
  await(pattern: RegExp, count: number): Promise<readonly string[]>
  stop(): Promise<void>
}

const timeout_ms = 20_000
const look_ms = 20

export async function openMailbox(): Promise<Mailbox> {
  const mails: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    closeTimeout: 100,
    onData(stream, { envelope }, done) {
      let message = ''
      stream.on('data', (chunk: Buffer) => (message += chunk.toString('utf8')))
      stream.on('end', () => {
        const subject = /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(message)?.[1] ?? ''
        const to = envelope.rcptTo.map(({ address }) => address).join()
        mails.push(`${to}: ${subject.replaceAll(/\r\n[ \t]/g, ' ')}`)
        done()
      })
    },
  })
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return {
    url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    mails,
    async await(pattern, count) {
      const late_ms = Date.now() + timeout_ms
      for (;;) {
        const found = mails.filter((mail) => pattern.test(mail))
        if (found.length >= count) return found
        if (Date.now() > late_ms)
          throw new Error(`${count} of ${pattern} are not among ${mails.join('; ')}`)
        await wait(look_ms)
      }
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
