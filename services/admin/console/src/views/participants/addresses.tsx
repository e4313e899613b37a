/** A participant's endpoints: callbacks and e-mail notifications. */
import { useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { ChangeForm, type Way } from '../../change.tsx'
import { Card, Loaded, Table } from '../../ui.tsx'

/** The notifications, in the order of the API. */
const mails = {
  NET_DEBIT_CAP_THRESHOLD_BREACH_EMAIL:
    'position near its limit, or payment refused for lack of liquidity',
  NET_DEBIT_CAP_ADJUSTMENT_EMAIL: 'limit changed',
  SETTLEMENT_TRANSFER_POSITION_CHANGE_EMAIL: 'position changed by a settlement',
  ALARM_NOTIFICATION_EMAIL: 'key or certificate that ends soon; at the hub, failed reminders too',
  END_OF_DAY_REPORT_EMAIL: 'end-of-day report',
} as const

const kinds = {
  callback: {
    title: 'Callback addresses',
    empty: 'No callback address: the hub cannot reach this participant.',
    types: [
      'FSPIOP_CALLBACK_URL',
      'FSPIOP_CALLBACK_URL_PARTICIPANT_PUT',
      'FSPIOP_CALLBACK_URL_PARTICIPANT_PUT_ERROR',
      'FSPIOP_CALLBACK_URL_PARTIES_GET',
      'FSPIOP_CALLBACK_URL_PARTIES_PUT',
      'FSPIOP_CALLBACK_URL_PARTIES_PUT_ERROR',
      'FSPIOP_CALLBACK_URL_QUOTES',
      'FSPIOP_CALLBACK_URL_TRX_REQ_SERVICE',
      'FSPIOP_CALLBACK_URL_AUTHORIZATIONS',
      'FSPIOP_CALLBACK_URL_TRANSFER_POST',
      'FSPIOP_CALLBACK_URL_TRANSFER_PUT',
      'FSPIOP_CALLBACK_URL_TRANSFER_ERROR',
    ],
    input: 'url',
    label: 'Address',
  },
  'e-mail': {
    title: 'E-mail notifications',
    empty: 'No e-mail recipients.',
    types: Object.keys(mails),
    input: 'email',
    label: 'E-mail address',
  },
} as const

const isMail = (type: string) => Object.hasOwn(mails, type)

type Field = 'type' | 'value'

export function Addresses({ name, kind }: { name: string; kind: keyof typeof kinds }) {
  const { may } = useOperator()
  const endpoints = useQuery({
    queryKey: ['endpoints', name],
    // With a type in the query the answer would be a single one.
    queryFn: async () => [await call('GET /participants/{name}/endpoints', { name })].flat(),
  })
  const { title, empty, types, input, label } = kinds[kind]
  const ways = [
    ...(may('MANAGE_PARTICIPANTS') ? [atOnce(name)] : []),
    ...(may('CREATE_UPDATE_ENDPOINTS') ? [asked(name)] : []),
  ]
  return (
    <Card title={title}>
      <Loaded query={endpoints}>
        {(all) => (
          <Table
            caption={`Addresses of ${name}`}
            head={kind === 'callback' ? ['For', 'Address'] : ['Of', 'Address']}
            empty={empty}
            rows={all
              .filter(({ type }) => isMail(type) === (kind === 'e-mail'))
              .map(({ type, value }) => ({
                key: type,
                cells: [<About key="type" type={type} />, <code key="value">{value}</code>],
              }))}
          />
        )}
      </Loaded>
      {ways.length > 0 && (
        <ChangeForm<Field>
          fields={[
            { name: 'type', label: 'For', options: types },
            // A callback address may contain variables such as {{transferId}}.
            { name: 'value', label, type: input === 'url' ? 'text' : input },
          ]}
          ways={ways}
        />
      )}
    </Card>
  )
}

function About({ type }: { type: string }) {
  if (type === 'FSPIOP_CALLBACK_URL') return 'all callbacks without an address of their own'
  if (!isMail(type)) return type.replace('FSPIOP_CALLBACK_URL_', '').replaceAll('_', ' ')
  return (
    <>
      {mails[type as keyof typeof mails]}
      <br />
      <small>{type}</small>
    </>
  )
}

const atOnce = (name: string): Way<Field> => ({
  label: 'Set address',
  run: (endpoint) => call('POST /participants/{name}/endpoints', { name, body: endpoint }),
  done: 'The address is set.',
})

const asked = (participantId: string): Way<Field> => ({
  label: 'Submit for approval',
  run: (endpoint, requestId) =>
    call('POST /UpdateEndpoints', { body: { requestId, participantId, endpoints: [endpoint] } }),
  done: 'Submitted. Another operator finds it under Approvals.',
})
