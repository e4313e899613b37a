import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asOperator, openGrpcHost, renewable, type OpenGrpcHost } from '@causeway/grpc'
import { openLog, type Service } from '@causeway/process'
import { makeTestCa } from '@causeway/process/testing'
import { grpcServices, operatorsService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { callersOf, servicesOf } from '@causeway/services'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { start } from '../../service.ts'
import { authSettings } from '../../testing/world.ts'

/**
 * Each method that the administration API calls, and that changes something or uses a secret key: the
 * member of its request that names the operator; `any`: it names none and any may call; `own`: none where the
 * request names none; `none`: it is called without an operator, or its request proves it.
 */
const expected: Readonly<Record<string, string>> = {
  'account_lookup.v1.Oracles/CreateOracle': 'actor',
  'account_lookup.v1.Oracles/RemoveOracle': 'actor',
  'account_lookup.v1.Oracles/UpdateOracle': 'actor',
  'account_lookup.v1.Persons/ErasePerson': 'any',
  'approvals.v1.Approvals/DecideApproval': 'actor',
  'approvals.v1.Approvals/RequestApproval': 'actor',
  'audit.v1.Audit/ReadConfidentialEntries': 'actor',
  'audit.v1.AuditQuarantine/DecideQuarantinedEntry': 'actor',
  'auth_service.v1.ComponentKeys/RegisterComponentKey': 'own',
  'auth_service.v1.ComponentKeys/RevokeComponentKey': 'actor',
  'auth_service.v1.Consents/EraseConsent': 'erasedBy',
  'auth_service.v1.Consents/ErasePerson': 'any',
  'auth_service.v1.Credentials/CreateClientSecret': 'createdBy',
  'auth_service.v1.Credentials/EndClientSecrets': 'actor',
  'auth_service.v1.Credentials/IssueCertificate': 'actor',
  'auth_service.v1.Credentials/RegisterCertificate': 'actor',
  'auth_service.v1.Credentials/RevokeCertificate': 'actor',
  'auth_service.v1.Fido/CreateFidoChallenge': 'any',
  'auth_service.v1.Fido/RegisterFidoCredential': 'actor',
  'auth_service.v1.Fido/VerifyFidoAssertion': 'actor',
  'auth_service.v1.Keys/AddParticipantKey': 'createdBy',
  'auth_service.v1.Keys/EndParticipantKey': 'actor',
  'auth_service.v1.LogIns/AuthorizeWithKey': 'none',
  'auth_service.v1.LogIns/BeginAuthorization': 'operator',
  'auth_service.v1.LogIns/BeginKeyLogIn': 'none',
  'auth_service.v1.LogIns/BeginKeyRegistration': 'operator',
  'auth_service.v1.LogIns/BeginOidc': 'none',
  'auth_service.v1.LogIns/CreateNonce': 'none',
  'auth_service.v1.LogIns/EndOidc': 'none',
  'auth_service.v1.LogIns/LogInWithCertificate': 'none',
  'auth_service.v1.LogIns/RegisterKey': 'operator',
  'auth_service.v1.LogIns/RemoveKeys': 'actor',
  'auth_service.v1.LogIns/UseAuthorization': 'operator',
  'auth_service.v1.Operators/ChangePassword': 'any',
  'auth_service.v1.Operators/CreateOperator': 'actor',
  'auth_service.v1.Operators/EndSessions': 'actor',
  'auth_service.v1.Operators/LogIn': 'none',
  'auth_service.v1.Operators/LogOut': 'none',
  'auth_service.v1.Operators/NoteOperationOutcome': 'actor',
  'auth_service.v1.Operators/RefreshSession': 'none',
  'auth_service.v1.Operators/RegisterPrivileges': 'none',
  'auth_service.v1.Operators/ResetOperatorSecret': 'actor',
  'auth_service.v1.Operators/SetRole': 'actor',
  'auth_service.v1.Operators/UpdateOperator': 'actor',
  'config.v1.Configurations/RegisterConfigurationSchema': 'actor',
  'config.v1.Secrets/ReadSecretValues': 'none',
  'config.v1.Secrets/RegisterSecrets': 'actor',
  'cryptography.v1.Cryptography/Decrypt': 'any',
  'cryptography.v1.Cryptography/Encrypt': 'any',
  'cryptography.v1.Cryptography/GenerateSignature': 'any',
  'cryptography.v1.Cryptography/TranslatePin': 'any',
  'cryptography.v1.KeyManagement/DefineKey': 'actor',
  'cryptography.v1.KeyManagement/GenerateAesKey': 'actor',
  'cryptography.v1.KeyManagement/GenerateEccKey': 'actor',
  'cryptography.v1.KeyManagement/GeneratePem': 'actor',
  'cryptography.v1.KeyManagement/LoadKey': 'actor',
  'cryptography.v1.KeyManagement/UnlockPinTranslation': 'actor',
  'cryptography.v1.KeyManagement/SetListenerCertificate': 'actor',
  'data_protection.v1.Erasures/RecordDisclosure': 'actor',
  'data_protection.v1.Erasures/ReportErasure': 'any',
  'event_bus.v1.EventDeadLetters/DiscardEventDeadLetter': 'any',
  'event_bus.v1.EventDeadLetters/ReplayEventDeadLetter': 'any',
  'ledger.v1.Funds/RecordFundsOutAbort': 'actor',
  'ledger.v1.Funds/RecordFundsOutCommit': 'actor',
  'ledger.v1.Funds/RecordFundsOutPrepareReserve': 'actor',
  'log_store.v1.LogStore/WriteLog': 'any',
  'notifications.v1.Notifications/ErasePerson': 'any',
  'notifications.v1.Notifications/ResendDeadLetters': 'actor',
  'participant_lifecycle.v1.Certifications/StoreCertification': 'actor',
  'participant_lifecycle.v1.Participants/CreateHubAccount': 'createdBy',
  'participant_lifecycle.v1.Participants/CreateParticipant': 'createdBy',
  'participant_lifecycle.v1.Participants/ManageFundsCreditDebitPairInstruction': 'actor',
  'participant_lifecycle.v1.Participants/SetInitialPositionAndLimits': 'actor',
  'participant_lifecycle.v1.Participants/UpdateAccountStatus': 'actor',
  'participant_lifecycle.v1.Participants/UpdateEndpoint': 'createdBy',
  'participant_lifecycle.v1.Participants/UpdateParticipantAccountLimit': 'actor',
  'participant_lifecycle.v1.Participants/UpdateParticipantState': 'actor',
  'quoting.v1.Quotes/ErasePerson': 'any',
  'quoting.v1.SchemeRules/SetSchemeRules': 'changedBy',
  'scheduler.v1.Scheduler/CreateScheduleReminder': 'actor',
  'scheduler.v1.Scheduler/RemoveReminder': 'actor',
  'scheduler.v1.Scheduler/RetryReminder': 'actor',
  'settlements.v1.DayReports/MakeDayReport': 'actor',
  'settlements.v1.DayReports/SetReportDelivery': 'actor',
  'settlements.v1.SettlementModels/CreateSettlementModel': 'actor',
  'settlements.v1.SettlementModels/UpdateSettlementModel': 'actor',
  'settlements.v1.SettlementWindows/CloseSettlementWindow': 'actor',
  'settlements.v1.Settlements/AbortSettlement': 'actor',
  'settlements.v1.Settlements/CreateSettlement': 'actor',
  'settlements.v1.Settlements/UpdateSettlementAccounts': 'actor',
  'transfers.v1.Transfers/ErasePerson': 'any',
}

interface Method {
  readonly path: string
  readonly options?: { readonly idempotency_level: string }
}

type Call = (request: object, options: { readonly deadline_ms: number }) => Promise<object>

const usesSecret = new Set(['GenerateSignature', 'Encrypt', 'Decrypt', 'TranslatePin'])
const definitions = Object.values<object>(grpcServices)
const methods = definitions.flatMap((definition) =>
  Object.entries(definition as Readonly<Record<string, Method>>)
    .filter(([, { path }]) => callersOf(path).includes('admin'))
    .filter(
      ([name, { options }]) =>
        options?.idempotency_level !== 'NO_SIDE_EFFECTS' || usesSecret.has(name),
    )
    .map(([name, { path }]) => ({ definition, name, key: path.slice('/causeway.'.length) })),
)

const folder = mkdtempSync(join(tmpdir(), 'causeway-proofs-'))
const firstPassword = 'the first password of all'
const administrator = 'administrator'

let parts: TestParts
let service: Service
let provider: OpenGrpcHost
let admin: OpenGrpcHost
let token = ''

/** All services behind one server, which has each operator checked by auth-service. */
beforeAll(async () => {
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, firstPassword)
  parts = await openTestParts()
  const settings = authSettings({
    AUTH_SERVICE_FIRST_PASSWORD_FILE: passwordFile,
    AUTH_SERVICE_PASSWORD_COST: '10',
  })
  const ca = makeTestCa('Hub CA')
  const open = (name: string, addressOf: () => string) =>
    openGrpcHost({
      log: openLog({ name, level: 'silent' }),
      listen: '127.0.0.1:0',
      addressOf,
      identity: {
        certificates: renewable({ ...ca.issue(name), ca: ca.certificate }),
        callersOf,
        servicesOf,
      },
    })
  provider = await open('auth-service', () => '')
  admin = await open('admin', () => provider.address)
  const checkOperators: OpenGrpcHost['checkOperators'] = (check) => provider.checkOperators(check)
  const grpc = { ...parts.grpc, checkOperators }
  service = await start(settings, { ...parts, grpc })
  for (const definition of definitions) {
    const handlers = Object.keys(definition).map((name) => [name, () => Promise.resolve({})])
    provider.serve(definition, Object.fromEntries(handlers) as never)
  }
  const { LogIn } = parts.grpc.client(operatorsService, 'auth-service')
  const { session } = await LogIn({ id: administrator, secret: firstPassword })
  token = session?.accessToken ?? ''
})

afterAll(async () => {
  await Promise.all([admin.stop(), provider.stop()])
  await service.stop()
  await parts.stop()
  rmSync(folder, { recursive: true })
})

/** Whether the provider works on the call. */
async function isAdmitted(
  { definition, name }: (typeof methods)[number],
  request: object,
  by: string,
): Promise<boolean> {
  const calls = admin.client(definition, 'auth-service') as Readonly<Record<string, Call>>
  const call = () =>
    calls[name]?.(request, { deadline_ms: 60_000 }) ?? Promise.reject(new Error(name))
  return asOperator({ token: by }, call).then(
    () => true,
    (error: unknown) => {
      if (String(error).includes('PERMISSION_DENIED')) return false
      throw error
    },
  )
}

test('The table names each method of operators that changes something or uses a secret key', () => {
  expect(methods.map(({ key }) => key).toSorted()).toEqual(Object.keys(expected).toSorted())
})

test('The approver whom a call names is the operator of the token', async () => {
  const method = methods.find(({ name }) => name === 'CreateOperator')
  if (method === undefined) throw new Error('operators are not created')
  const creation = { name: 'clerk', actor: administrator }
  expect(await isAdmitted(method, { ...creation, approver: 'eve' }, token)).toBe(false)
  expect(await isAdmitted(method, { ...creation, approver: administrator }, token)).toBe(true)
})

describe.each(methods.map((method) => [method.key, method] as const))('%s', (key, method) => {
  const named = expected[key] ?? ''
  if (named === 'none') {
    test('It is called without an operator', async () => {
      expect(await isAdmitted(method, {}, '')).toBe(true)
    })
  } else if (named === 'own') {
    test('It needs a proof where it names an operator', async () => {
      expect(await isAdmitted(method, {}, '')).toBe(true)
      expect(await isAdmitted(method, { actor: administrator }, '')).toBe(false)
      expect(await isAdmitted(method, { actor: 'ada' }, token)).toBe(false)
      expect(await isAdmitted(method, { actor: administrator }, token)).toBe(true)
    })
  } else if (named === 'any') {
    test('It needs the token of an operator', async () => {
      expect(await isAdmitted(method, {}, '')).toBe(false)
      expect(await isAdmitted(method, {}, `${token}x`)).toBe(false)
      expect(await isAdmitted(method, {}, token)).toBe(true)
    })
  } else {
    test(`It needs the token of the operator whom ${named} names`, async () => {
      expect(await isAdmitted(method, { [named]: administrator }, '')).toBe(false)
      expect(await isAdmitted(method, { [named]: 'ada' }, token)).toBe(false)
      expect(await isAdmitted(method, { [named]: '' }, token)).toBe(false)
      expect(await isAdmitted(method, { [named]: administrator }, token)).toBe(true)
    })
  }
})
