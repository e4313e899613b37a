/**
 * A sandbox FSP's side of linking: its customers' accounts, one-time passwords, and log-in page.
 */
import { listIn } from '@causeway/process'
import { escapedHtml } from '@causeway/http'
import type { DfspOptions, Fsp, LinkingChoices, Scope, ThirdPartyPayment } from '@causeway/fsp'
import express, { type Router } from 'express'
import { accountsOf, holderOf } from './accounts.ts'
import type { SandboxName } from './customers.ts'
import { accountStateOf } from './domain/scenario.ts'
import type { SandboxFspSettings } from './settings.ts'

export interface SandboxDfsp {
  readonly options: DfspOptions
  /** Stands in for a user's phone: the last one-time password that was sent. */
  otpOf(userId: string): string | undefined
  /** The last payments that PISPs requested. */
  paymentOf(transactionRequestId: string): ThirdPartyPayment | undefined
}

const remembered_max = 10_000

/** @param url the FSP's plain port, once it is open */
export function sandboxDfsp(
  name: SandboxName,
  { AUTH_SERVICE_PARTICIPANT, SANDBOX_CALLBACK_URIS }: SandboxFspSettings,
  url: () => string,
): SandboxDfsp {
  const otps = new Map<string, string>()
  const payments = new Map<string, ThirdPartyPayment>()
  const trusted = listIn(SANDBOX_CALLBACK_URIS)
  return {
    otpOf: (userId) => otps.get(userId),
    paymentOf: (transactionRequestId) => payments.get(transactionRequestId),
    options: {
      accountsOf: (userId) => accountsOf(name, userId),
      isTrustedUri: (uri) => isLoopback(uri) || trusted.some((prefix) => uri.startsWith(prefix)),
      authUriOf: (consentRequestId) => `${url()}/link/${consentRequestId}`,
      sendOtp: (userId, otp) => void otps.set(userId, otp),
      payerAccount(address, { amount }) {
        const payer = holderOf(name, address)
        if (payer === undefined) return { state: 'UNKNOWN' }
        const state = accountStateOf(amount)
        return state === 'READY' ? { state, payer } : { state }
      },
      verification:
        AUTH_SERVICE_PARTICIPANT === ''
          ? { by: 'ITSELF' }
          : { by: 'AUTH_SERVICE', name: AUTH_SERVICE_PARTICIPANT },
      onPayment(payment) {
        payments.set(payment.transactionRequestId, payment)
        const [oldest] = payments.size > remembered_max ? payments.keys() : []
        if (oldest !== undefined) payments.delete(oldest)
      },
    },
  }
}

/** An address of this machine, where the sandbox PISP runs. */
function isLoopback(uri: string): boolean {
  return URL.canParse(uri) && ['127.0.0.1', 'localhost'].includes(new URL(uri).hostname)
}

/** For users (the log-in page and their phone) and for reading the state of a payment. */
export function linkingRoutes(fsp: Pick<Fsp, 'dfsp'>, dfsp: SandboxDfsp): Router {
  const { Router, urlencoded } = express
  const router = Router()
  router.get('/link/:id', async (request, response) => {
    const choices = await fsp.dfsp.choicesOf(request.params.id)
    if (choices === undefined) response.status(404).json(ended)
    else response.type('html').send(page(choices))
  })
  router.post('/link/:id', urlencoded({ extended: false }), async (request, response) => {
    const { id } = request.params
    const choices = await fsp.dfsp.choicesOf(id)
    const answer = (request.body ?? {}) as { readonly account?: string | readonly string[] }
    if (choices === undefined) {
      response.status(404).json(ended)
      return
    }
    const chosen = [answer.account ?? []].flat()
    if (chosen.length === 0) {
      fsp.dfsp.decline(id)
      response.type('html').send('<p>Nothing was linked.</p>')
      return
    }
    const back = await fsp.dfsp.grant(id, scopesOf(choices, chosen))
    if (back === undefined) response.status(400).json(ended)
    else response.redirect(303, back)
  })
  router.get('/otps/:userId', (request, response) => {
    const otp = dfsp.otpOf(request.params.userId)
    if (otp === undefined) response.status(404).json({ error: 'no password was sent' })
    else response.json({ otp })
  })
  router.get('/links', (_request, response) => {
    response.json([...fsp.dfsp.links()])
  })
  router.delete('/links/:id', async (request, response) => {
    const error = await fsp.dfsp.unlink(request.params.id)
    response.status(error === undefined ? 200 : 409).json(error ?? { state: 'REVOKED' })
  })
  router.get('/third-party-payments/:id', (request, response) => {
    const payment = dfsp.paymentOf(request.params.id)
    if (payment === undefined) response.status(404).json({ error: 'no such payment' })
    else response.json(payment)
  })
  return router
}

const ended = { error: 'there is no such request, or it has ended' }

/** The same actions for each account. */
function scopesOf({ scopes }: LinkingChoices, chosen: readonly string[]): readonly Scope[] {
  const actions = [...new Set(scopes.flatMap((scope) => scope.actions))]
  return chosen.map((address) => ({ address, actions }))
}

/** A real bank asks for a password first. */
function page({ pispId, scopes, accounts }: LinkingChoices): string {
  const asked = new Set(scopes.map(({ address }) => address))
  const boxes = accounts.map(({ address, accountNickname }) => {
    const checked = asked.has(address) ? ' checked' : ''
    const label = `${escapedHtml(accountNickname ?? '')} (${escapedHtml(address)})`
    return `<p><label><input type="checkbox" name="account" value="${escapedHtml(address)}"${checked}> ${label}</label></p>`
  })
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Link accounts</title>',
    `<h1>${escapedHtml(pispId)} asks to pay from your accounts</h1>`,
    `<form method="post">${boxes.join('')}<button>Allow</button></form>`,
    '<form method="post"><button>Do not allow</button></form></html>',
  ].join('\n')
}
