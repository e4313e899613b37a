/** A real mail server for tests: keeps what it took and refuses whom it is told to. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface TestMailServer {
  readonly port: number
  /** What it took, one after the other: the envelope and the message as it came. */
  readonly mails: { readonly from: string; readonly to: string; readonly message: string }[]
  /** Whom it refuses, with which reply; undefined: nobody. */
  refuse: (address: string) => { readonly code: number; readonly text: string } | undefined
  close(): Promise<void>
}

export async function openMailServer(
  options: SMTPServerOptions = {},
  port = 0,
): Promise<TestMailServer> {
  const mails: TestMailServer['mails'] = []
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    closeTimeout: 100,
    onRcptTo({ address }, _session, done) {
      const refusal = server.refuse(address)
      if (refusal === undefined) done()
      else done(Object.assign(new Error(refusal.text), { responseCode: refusal.code }))
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = envelope
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address).join(),
          message: Buffer.concat(chunks).toString('utf8'),
        })
        done()
      })
    },
    ...options,
  })
  // A client that goes away in the middle is nothing to fail for.
  smtp.on('error', () => undefined)
  const listening = smtp.listen(port, '127.0.0.1')
  await once(listening, 'listening')
  const server: TestMailServer = {
    port: (listening.address() as AddressInfo).port,
    mails,
    refuse: () => undefined,
    close: () => new Promise((resolve) => smtp.close(() => resolve())),
  }
  return server
}
