/**
 * E-mails over SMTP. The Message-ID is the same in all attempts, so that a duplicate can be recognised.
 * Without a mail server every e-mail fails with that reason and is a dead letter, which can be sent
 * again once there is one.
 */
import { mailAddressFault } from '@causeway/fspiop'
import { readPem, StartError, type Logger } from '@causeway/process'
import type { SMTPPoolOptions } from 'nodemailer'
import { z } from 'zod'
import type { Notification } from '../contract.ts'
import { judgeMail, type MailAnswer } from '../domain/mail-verdict.ts'
import type { AttemptVerdict } from '../domain/verdict.ts'
import type { NotificationsSettings } from '../settings.ts'
import type { Transport } from './lane.ts'

export interface MailTransport extends Transport {
  /** Whether e-mails are sent, as a sentence. */
  readonly about: string
  /** From now on e-mails log in with it; empty: with the password of NOTIFICATIONS_SMTP_URL. */
  usePassword(password: string): void
}

const noMailServer = 'no mail server is configured (NOTIFICATIONS_SMTP_URL)'

const connections_max = 4

/** Throws StartError for inconsistent settings. */
export async function openMailTransport(
  settings: NotificationsSettings,
  log: Logger,
): Promise<MailTransport> {
  const { NOTIFICATIONS_SMTP_URL: url, NOTIFICATIONS_MAIL_FROM: from } = settings
  if (url === undefined) return withoutServer(log)
  const { protocol, host } = serverOf(url)
  const sender = /<([^<>]*)>$/.exec(from)?.[1] ?? from
  const [, fromDomain = ''] = sender.split('@')
  if (mailAddressFault(sender) !== undefined) {
    throw new StartError(
      `NOTIFICATIONS_MAIL_FROM must be an e-mail address when NOTIFICATIONS_SMTP_URL is set, but is ${JSON.stringify(from)}.`,
    )
  }
  // Loaded here: a hub without a mail server does not need it.
  const [options, { createTransport }] = await Promise.all([
    optionsOf(settings, url, protocol),
    import('nodemailer'),
  ])
  let password = settings.NOTIFICATIONS_SMTP_PASSWORD
  let transporter = createTransport(withPassword(options, password))
  return {
    about: `e-mails are sent through ${host} as ${from}`,
    usePassword(other) {
      if (other === password) return
      const before = transporter
      password = other
      transporter = createTransport(withPassword(options, password))
      // An e-mail that it is sending is sent; one that waits for a connection is tried again.
      before.close()
      log.info('the mail server is used with another password')
    },
    async send(notification) {
      const answer = await mailOver(notification, async (mail) => {
        const signal = AbortSignal.timeout(settings.CALLBACK_TIMEOUT_MS)
        const messageId = `<${notification.id}@${fromDomain}>`
        await transporter.sendMail({ ...mail, from, messageId, signal })
      })
      return withoutHttp(judgeMail(answer))
    },
    close() {
      transporter.close()
      return Promise.resolve()
    },
  }
}

function withoutServer(log: Logger): MailTransport {
  return {
    usePassword: () => undefined,
    about: `e-mails are not sent; each becomes a dead letter: ${noMailServer}`,
    send({ id, request }) {
      const { destinationFspId: fspId } = request
      log.error({ id, fspId }, `ALARM an e-mail was not sent: ${noMailServer}`)
      return Promise.resolve(withoutHttp({ type: 'GIVEN_UP', healthy: true, error: noMailServer }))
    },
    close: () => Promise.resolve(),
  }
}

function withoutHttp(verdict: AttemptVerdict) {
  return { verdict, httpStatus: null, refusal: undefined }
}

/** Its error does not contain the user and the password of the URL. */
function serverOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
    throw new StartError(
      'NOTIFICATIONS_SMTP_URL must look like smtp://user:password@host:587 or smtps://host.',
    )
  }
  return url
}

async function optionsOf(
  settings: NotificationsSettings,
  url: string,
  protocol: string,
): Promise<SMTPPoolOptions & Pooled> {
  const timeout_ms = settings.CALLBACK_TIMEOUT_MS
  const caFile = settings.NOTIFICATIONS_SMTP_CA_FILE
  const ca = caFile === undefined ? undefined : await readPem('NOTIFICATIONS_SMTP_CA_FILE', caFile)
  return {
    url,
    pool: true,
    maxConnections: connections_max,
    maxRequeues: 0,
    connectionTimeout: timeout_ms,
    greetingTimeout: timeout_ms,
    socketTimeout: timeout_ms,
    dnsTimeout: timeout_ms,
    requireTLS: protocol === 'smtp:' && settings.NOTIFICATIONS_SMTP_TLS === 'required',
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(ca === undefined ? {} : { tls: { ca } }),
  }
}

/** The credentials of a URL would have precedence. */
function withPassword(options: SMTPPoolOptions & Pooled, password: string) {
  if (password === '') return options
  const url = serverOf(options.url ?? '')
  const user = decodeURIComponent(url.username)
  url.username = ''
  url.password = ''
  return { ...options, url: url.href, auth: { user, pass: password } }
}

interface Pooled {
  readonly pool: true
}

interface Mail {
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  readonly text: string
  readonly date: Date
  readonly attachments: {
    readonly filename: string
    readonly contentType: string
    readonly content: string
  }[]
}

async function mailOver(
  { request, body, taken_ms }: Notification,
  send: (mail: Mail) => Promise<void>,
): Promise<MailAnswer> {
  const { transport } = request
  if (transport.type !== 'EMAIL') return failure('it is not an e-mail')
  try {
    await send({
      to: { name: '', address: transport.address },
      subject: transport.subject,
      text: body.toString('utf8'),
      date: new Date(taken_ms),
      attachments: (transport.attachments ?? []).map(({ name, type, content }) => ({
        filename: name,
        contentType: `${type}; charset=utf-8`,
        content,
      })),
    })
    return { type: 'ACCEPTED' }
  } catch (error) {
    const { code, responseCode } = smtpError.parse(error)
    return {
      ...failure(error instanceof Error ? error.message : String(error)),
      replyCode: responseCode ?? null,
      isAccessDenied: accessDeniedCodes.has(code),
    }
  }
}

function failure(reason: string): Extract<MailAnswer, { type: 'FAILED' }> {
  return { type: 'FAILED', replyCode: null, isAccessDenied: false, reason }
}

const accessDeniedCodes: ReadonlySet<string> = new Set(['EAUTH', 'ENOAUTH', 'EOAUTH2', 'ETLS'])

/** The fields that nodemailer adds to its errors. */
const smtpError = z
  .object({ code: z.string().catch(''), responseCode: z.int().optional().catch(undefined) })
  .catch({ code: '', responseCode: undefined })
