/** The keys of the hub: what they are for, how long, and where they are. Never what they are. */
import { useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { AskButton } from '../../change.tsx'
import type { Keys } from '../../generated/operator-api.ts'
import { Card, Loaded, Page, Table, Time } from '../../ui.tsx'

const adapters: Readonly<Record<Keys['adapter']['active'], string>> = {
  NODE: 'encrypted in the database',
  PKCS11: 'in the HSM',
}

export function CryptoKeys() {
  const all = useQuery({ queryKey: ['crypto-keys'], queryFn: () => call('GET /kms-keys') })
  const { may } = useOperator()
  return (
    <Page title="Keys">
      <Loaded query={all}>
        {({ adapter, definitions }) => (
          <>
            <p>New keys are {adapters[adapter.active]}.</p>
            <Card title="Key definitions">
              {may('RUN_KMS_KEY_DEFINITION') && <Define />}
              <Definitions definitions={definitions} />
            </Card>
            <Card title="Keys">
              <KeyTable definitions={definitions} />
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Definitions({ definitions }: Pick<Keys, 'definitions'>) {
  return (
    <Table
      caption="What keys may do, and when; the newest first"
      head={['Label', 'Usage', 'Type', 'Valid from', 'Valid to', '#Keys', 'Definition id']}
      empty="No key is defined."
      rows={definitions.map((definition) => ({
        key: definition.keyDefinitionId,
        cells: [
          definition.label,
          definition.usage,
          definition.type,
          <Time key="from" at={definition.validFrom} />,
          definition.validTo === null ? 'no end' : <Time key="to" at={definition.validTo} />,
          definition.keys.length,
          <code key="id">{definition.keyDefinitionId}</code>,
        ],
      }))}
    />
  )
}

function KeyTable({ definitions }: Pick<Keys, 'definitions'>) {
  return (
    <Table
      caption="Keys with the value by which two holders compare them"
      head={['Label', 'Key id', 'Where', 'Check value', 'Created', 'By']}
      empty="No key was made."
      rows={definitions.flatMap(({ label, keys }) =>
        keys.map((key) => ({
          key: key.keyId,
          cells: [
            label,
            <code key="id">{key.keyId}</code>,
            adapters[key.adapter],
            key.kcv ?? 'key pair',
            <Time key="created" at={key.createdDate} />,
            key.createdBy,
          ],
        })),
      )}
    />
  )
}

const fields = [
  { name: 'label', label: 'Label', initial: '' },
  {
    name: 'usage',
    label: 'Usage',
    initial: 'ENCRYPT',
    options: ['SIGN', 'TLS', 'ENCRYPT', 'PIN', 'WRAP'],
  },
  { name: 'type', label: 'Type', initial: 'AES', options: ['AES', 'TDES', 'EC'] },
] as const

function Define() {
  return (
    <AskButton
      label="Define a key"
      of="of the hub"
      title="Define a key"
      text={<p>AES keys encrypt, wrap or translate PINs, EC keys sign, serve TLS or wrap.</p>}
      fields={fields}
      way={{
        label: 'Define',
        run: (values, requestId) =>
          call('POST /kms-key-definition', { body: { requestId, ...values } }),
        done: 'The key is defined.',
      }}
    />
  )
}
