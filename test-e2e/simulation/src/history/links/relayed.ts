/** Whether what the hub relays between PISP and DFSP is what was sent: path, headers and bytes. */
import type { HttpRequest } from '@causeway/http'
import { authServiceName, hubName } from '../../hub/services.ts'

interface Delivered {
  readonly to: string
  readonly from: string
}

/** Those that a signature of its sender covers, and the kind of its content. */
const kept = ['fspiop-source', 'fspiop-destination', 'date', 'content-type'] as const

export class Relayed {
  #sent = new Set<string>()
  /** In the history before: it may be delivered once more. */
  #sentBefore = new Set<string>()
  #wrong: string[] = []

  /** A history begins. */
  begin(): void {
    this.#sentBefore = this.#sent
    this.#sent = new Set()
    this.#wrong = []
  }

  /** Such a message may arrive from now on. */
  expect(message: HttpRequest): void {
    this.#sent.add(textOf(message, message.url))
  }

  /** Judges a callback. */
  check(request: HttpRequest, { to, from }: Delivered): void {
    if (from === hubName || from === authServiceName) return
    const text = textOf(request, new URL(request.url).pathname)
    const wasSent = this.#sent.has(text) || this.#sentBefore.has(text)
    if (request.headers['fspiop-destination'] === to && wasSent) return
    this.#wrong.push(`nobody has sent ${to} this: ${text}`)
  }

  takeWrong(): readonly string[] {
    return this.#wrong.splice(0)
  }
}

function textOf({ method, headers, body }: HttpRequest, path: string): string {
  const values = kept.map((name) => `${name}: ${headers[name] ?? ''}`)
  return [`${method} ${path}`, ...values, body?.toString('base64') ?? ''].join('\n')
}
