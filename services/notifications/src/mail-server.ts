/** A real mail server for tests: records the e-mails it accepts and refuses configured addresses. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface TestMailServer {
  readonly port: number
  /** The accepted e-mails in order: the envelope and the message as received. */
  readonly mails: { readonly from: string; readonly to: string; readonly message: string }[]
  /** The reply that refuses an address; undefined: the address is accepted. */
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
  // A client that disconnects early must not fail the test.
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
