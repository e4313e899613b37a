/**
 * What an FSP still lacks before it can pay and be paid, with the operation that adds it. All items
 * are checked, so that every fault shows at once.
 */
import { endpointTypeOf, type Operation } from '@causeway/fspiop'

/** How FSPs authenticate at the FSP port. */
export type EdgeIdentity = 'mtls' | 'token' | 'header'

export interface Facts {
  readonly name: string
  /** A PISP has no accounts, so it needs neither limit nor funds. */
  readonly type: 'DFSP' | 'PISP'
  readonly edgeIdentity: EdgeIdentity
  readonly isActive: boolean
  readonly endpointTypes: ReadonlySet<string>
  /** Those whose value can never work, with what is wrong with it. */
  readonly unusableEndpoints: readonly { readonly type: string; readonly fault: string }[]
  readonly currencies: readonly CurrencyFacts[]
  readonly keys: readonly KeyFacts[]
  readonly clientSecrets: number
  /** When the last of its certificates expires; null: none was issued. */
  readonly certificateValidTo: Date | null
  readonly ping: PingFacts | null
  /** Its circuit is open since then; null: closed. */
  readonly unreachable: { readonly since: Date; readonly error: string } | null
  readonly deadLetters: readonly { readonly takenAt: Date }[]
}

export interface CurrencyFacts {
  readonly currency: string
  readonly hasLimit: boolean
  readonly inactiveAccounts: readonly { readonly id: number; readonly type: string }[]
  /** The type of the account that covers its positions. */
  readonly coverType: string
  /** The settlement model whose check of cover two persons have switched off; null: it is on. */
  readonly modelWithoutCheck: string | null
  /** Of that account, in ten-thousandths. */
  readonly funds: bigint
}

export interface KeyFacts {
  readonly kid: string
  readonly use: string
  readonly validFrom: Date
  readonly validTo: Date | null
}

export interface PingFacts {
  readonly receivedAt: Date
  /** mtls, token or header. */
  readonly identity: string
  /** The hub's own ping in the other direction. */
  readonly answer:
    | { readonly type: 'UNDER_WAY' }
    | { readonly type: 'DELIVERED'; readonly at: Date }
    | { readonly type: 'FAILED'; readonly error: string }
}

export type ItemName =
  | 'keys'
  | 'identity'
  | 'endpoints'
  | 'limits'
  | 'accounts'
  | 'ping'
  | 'reachable'
  | 'deliveries'
  | 'funds'
  | 'active'

export interface ChecklistItem {
  readonly item: ItemName
  readonly ok: boolean
  /** For the operator; describes what exists, or what is missing and how to add it. */
  readonly text: string
}

export interface Checklist {
  readonly ready: boolean
  readonly items: readonly ChecklistItem[]
}

const checks: Readonly<Record<ItemName, (facts: Facts, now: Date) => Finding>> = {
  keys,
  identity,
  endpoints,
  limits,
  accounts,
  ping,
  reachable,
  deliveries,
  active,
  funds,
}

interface Finding {
  readonly ok: boolean
  readonly text: string
}

const good = (text: string): Finding => ({ ok: true, text })
const lacking = (text: string): Finding => ({ ok: false, text })

const ofAccounts: ReadonlySet<string> = new Set<ItemName>(['limits', 'accounts', 'funds'])

/** In the best order of onboarding. */
export function checklist(facts: Facts, now: Date): Checklist {
  const needed = Object.entries(checks).filter(
    ([item]) => facts.type === 'DFSP' || !ofAccounts.has(item),
  )
  const items = needed.map(([item, check]) => ({ item: item as ItemName, ...check(facts, now) }))
  return { ready: items.every(({ ok }) => ok), items }
}

function keys({ name, keys: all }: Facts, now: Date): Finding {
  const signing = all.filter(({ use }) => use === 'sig')
  const valid = signing.filter(
    ({ validFrom, validTo }) => validFrom <= now && (validTo === null || now < validTo),
  )
  const toDo = `register its public key: POST /participants/${name}/keys {"use":"sig","publicKey":…}`
  if (valid.length === 0) {
    if (signing.length === 0) return lacking(`No key verifies its signatures; ${toDo}.`)
    const next = signing.find(({ validFrom }) => now < validFrom)
    return next === undefined
      ? lacking(`Every key for its signatures has ended; ${toDo}.`)
      : lacking(
          `No key for its signatures is valid yet, ${next.kid} is from ${next.validFrom.toISOString()} on; wait, or ${toDo}.`,
        )
  }
  const named = valid.map(({ kid, validTo }) =>
    validTo === null ? kid : `${kid} (until ${validTo.toISOString()})`,
  )
  return good(`Its signatures are verified with ${named.join(', ')}.`)
}

/** Only the required kind counts: a certificate does not replace a token, nor the reverse. */
function identity(facts: Facts, now: Date): Finding {
  switch (facts.edgeIdentity) {
    case 'mtls':
      return ofCertificates(facts, now)
    case 'token':
      return ofTokens(facts)
    case 'header':
      return good('It need not authenticate (EDGE_IDENTITY=header).')
  }
}

function ofCertificates(facts: Facts, now: Date): Finding {
  const { name, certificateValidTo: end } = facts
  if (end !== null && now < end) {
    return good(`It has a client certificate until ${end.toISOString()}.`)
  }
  if (end === null && hasShown(facts)) return shown(facts)
  const lack =
    end === null
      ? 'It has no client certificate'
      : `Its client certificate ended at ${end.toISOString()}`
  return lacking(`${lack}; issue one: POST /participants/${name}/certificates {"csr":…}.`)
}

function ofTokens(facts: Facts): Finding {
  const { name, clientSecrets } = facts
  if (clientSecrets > 0) {
    return good(`It has ${counted(clientSecrets, 'client secret')} for tokens.`)
  }
  if (hasShown(facts)) return shown(facts)
  return lacking(
    `It has no client secret for tokens; issue one: POST /participants/${name}/client-secrets.`,
  )
}

/** An FSP that has pinged in the required way has valid credentials, wherever they are from. */
function hasShown({ ping: last, edgeIdentity }: Facts): boolean {
  return last?.identity === edgeIdentity
}

function shown({ ping: last, edgeIdentity }: Facts): Finding {
  return good(`It authenticated (${edgeIdentity}) at ${last?.receivedAt.toISOString()}.`)
}

/** The callbacks to a DFSP that pays or is paid. */
const paying: readonly Operation[] = [
  'GET /parties/{Type}/{ID}',
  'PUT /parties/{Type}/{ID}',
  'PUT /parties/{Type}/{ID}/error',
  'POST /quotes',
  'POST /transfers',
  'PUT /transfers/{ID}',
  'PUT /transfers/{ID}/error',
]

/** The callbacks to a PISP that links an account and pays from it. */
const initiating: readonly Operation[] = [
  'PUT /parties/{Type}/{ID}',
  'PUT /parties/{Type}/{ID}/error',
  'PUT /services/{ServiceType}',
  'PUT /accounts/{ID}',
  'PUT /accounts/{ID}/error',
  'PUT /consentRequests/{ID}',
  'PUT /consentRequests/{ID}/error',
  'POST /consents',
  'PUT /consents/{ID}',
  'PATCH /consents/{ID}',
  'PUT /consents/{ID}/error',
  'PUT /thirdpartyRequests/transactions/{ID}',
  'PATCH /thirdpartyRequests/transactions/{ID}',
  'PUT /thirdpartyRequests/transactions/{ID}/error',
  'POST /thirdpartyRequests/authorizations',
]

/** The requests to a DFSP whose accounts PISPs may use: none of them, or all. */
const initiated: readonly Operation[] = [
  'GET /accounts/{ID}',
  'POST /consentRequests',
  'PATCH /consentRequests/{ID}',
  'PUT /consents/{ID}',
  'PUT /consents/{ID}/error',
  'POST /thirdpartyRequests/transactions',
  'PUT /thirdpartyRequests/authorizations/{ID}',
]

function endpoints({ name, type, endpointTypes, unusableEndpoints }: Facts): Finding {
  if (unusableEndpoints.length > 0) {
    const named = unusableEndpoints.map((each) => `${each.type} (its value ${each.fault})`)
    return lacking(
      `Nothing can be sent to ${named.join(', ')}; register another value: POST /participants/${name}/endpoints.`,
    )
  }
  if (endpointTypes.has('FSPIOP_CALLBACK_URL')) {
    return good(
      'Every callback has an address: FSPIOP_CALLBACK_URL serves what has none of its own.',
    )
  }
  const typesOf = (operations: readonly Operation[]) =>
    operations.flatMap((operation) => endpointTypeOf(operation) ?? [])
  const links = type === 'DFSP' && typesOf(initiated).some((each) => endpointTypes.has(each))
  const needed = type === 'PISP' ? initiating : links ? [...paying, ...initiated] : paying
  const missing = typesOf(needed).filter((each) => !endpointTypes.has(each))
  if (missing.length === 0) {
    return good(
      type === 'PISP'
        ? 'Links, consents and payments that it starts have an address each.'
        : `Lookups, quotes and transfers${links ? ', and what PISPs send,' : ''} have an address each.`,
    )
  }
  return lacking(
    `These callbacks have no address: ${missing.join(', ')}; register one for all: POST /participants/${name}/endpoints {"type":"FSPIOP_CALLBACK_URL","value":"https://…"}.`,
  )
}

function limits({ name, currencies }: Facts): Finding {
  const without = currencies.filter(({ hasLimit }) => !hasLimit).map(({ currency }) => currency)
  if (currencies.length === 0) {
    return lacking(
      'It has no position account in any currency: POST /participants with a currency.',
    )
  }
  if (without.length === 0) return good(`It has a net debit cap in ${listed(currencies)}.`)
  return lacking(
    `It has no net debit cap in ${without.join(', ')}: POST /participants/${name}/initialPositionAndLimits.`,
  )
}

function accounts({ name, currencies }: Facts): Finding {
  const inactive = currencies.flatMap(({ currency, inactiveAccounts }) =>
    inactiveAccounts.map(({ id, type }) => ({ id, text: `${id} (${type} ${currency})` })),
  )
  const [first] = inactive
  if (first === undefined) return good('Its accounts are active.')
  return lacking(
    `Inactive accounts: ${inactive.map(({ text }) => text).join(', ')}; initialPositionAndLimits activates them, later PUT /participants/${name}/accounts/${first.id} {"isActive":true}.`,
  )
}

function ping({ ping: last }: Facts): Finding {
  if (last === null) {
    return lacking(
      'It has never pinged; it must send a signed POST /pings {"pingId":…}, and the hub pings it in return.',
    )
  }
  const came = `Its ping of ${last.receivedAt.toISOString()} was received`
  switch (last.answer.type) {
    case 'UNDER_WAY':
      return lacking(`${came}, and the hub's own ping is in progress; check again in a moment.`)
    case 'FAILED':
      return lacking(
        `${came}, but the hub's own ping did not reach it (${last.answer.error}); check its endpoints, then let it ping again.`,
      )
    case 'DELIVERED':
      return good(`${came}, and the hub's own ping reached it at ${last.answer.at.toISOString()}.`)
  }
}

function reachable({ unreachable }: Facts): Finding {
  if (unreachable === null) return good('Its last callbacks have reached it, if there were any.')
  return lacking(
    `The hub has not reached it since ${unreachable.since.toISOString()} (${unreachable.error}) and only tries now and then; repair its endpoints or its server, then let it ping.`,
  )
}

/** A later ping that reached the FSP shows that the fault is fixed. */
function deliveries({ name, ping: last, deadLetters }: Facts): Finding {
  const mended = last?.answer.type === 'DELIVERED' ? last.answer.at : null
  const open = deadLetters.filter(({ takenAt }) => mended === null || mended < takenAt)
  if (open.length === 0)
    return good('It has no dead letters of the time since its last ping was answered.')
  return lacking(
    `${counted(open.length, 'callback')} to it ${open.length === 1 ? 'is a dead letter' : 'are dead letters'}; see GET /dead-letters?fspId=${name}, let it ping when it can be reached again, then send them again: POST /dead-letters/resend.`,
  )
}

function active({ name, isActive }: Facts): Finding {
  if (isActive) return good('It is active.')
  return lacking(
    `It is inactive and may not start payments: PUT /participants/${name} {"isActive":true}.`,
  )
}

function funds({ name, isActive, currencies }: Facts): Finding {
  const checked = currencies.filter((one) => one.modelWithoutCheck === null)
  const without = checked.filter(({ funds: held }) => held <= 0n)
  if (currencies.length > 0 && without.length === 0) {
    const has = checked.length === 0 ? [] : [`It has funds in ${listed(checked)}.`]
    return good([...has, ...uncovered(currencies)].join(' '))
  }
  const where = without.length === 0 ? 'any currency' : listed(without)
  const types = [...new Set(without.map(({ coverType }) => coverType))]
  const account = types.length === 0 ? 'SETTLEMENT' : types.join(' or ')
  const first = isActive ? '' : 'activate it, then '
  return lacking(
    `It can be paid but cannot pay: it has no funds in ${where}; ${first}record them on its ${account} account: POST /participants/${name}/accounts/{id} (recordFundsIn).`,
  )
}

/** Two persons have decided it, and others should see it. */
function uncovered(currencies: readonly CurrencyFacts[]): readonly string[] {
  return currencies.flatMap(({ currency, modelWithoutCheck: model }) =>
    model === null
      ? []
      : [
          `Its payments in ${currency} need no cover: the check of the settlement model ${model} is switched off, and the net debit cap is their only bound.`,
        ],
  )
}

function listed(currencies: readonly CurrencyFacts[]): string {
  return currencies.map(({ currency }) => currency).join(', ')
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
