/** The client certificates that identify a participant, issued by the hub or made elsewhere. */
import { useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { AskButton, ChangeForm } from '../../change.tsx'
import type { RegisteredCertificate } from '../../generated/operator-api.ts'
import { Card, Loaded, State, Table, Time } from '../../ui.tsx'

export function Certificates({ name }: { name: string }) {
  const { may } = useOperator()
  const certificates = useQuery({
    queryKey: ['certificates', name],
    queryFn: () => call('GET /participants/{name}/certificates', { name }),
  })
  return (
    <Card title="Client certificates">
      <Loaded query={certificates}>
        {(all) => (
          <Table
            caption={`Certificates of ${name}; each valid one identifies it`}
            head={['Serial', 'State', 'From', 'Until', 'Made', 'Next']}
            empty="No certificate yet."
            rows={all.map((certificate) => {
              const { serial, validFrom, validTo, origin } = certificate
              const state = stateOf(certificate, Date.now())
              return {
                key: serial,
                cells: [
                  <code key="serial">{serial}</code>,
                  <State key="state" state={state} />,
                  <Time key="from" at={validFrom} />,
                  <Time key="to" at={validTo} />,
                  origin === 'ISSUED' ? 'by this hub' : 'elsewhere',
                  may('MANAGE_CREDENTIALS') && state === 'VALID' && (
                    <Revoke key="revoke" name={name} serial={serial} />
                  ),
                ],
              }
            })}
          />
        )}
      </Loaded>
      {may('MANAGE_CREDENTIALS') && (
        <ChangeForm<'certificate'>
          fields={[
            {
              name: 'certificate',
              label: 'Certificate that was made elsewhere, as PEM',
              isLong: true,
              hint: `its common name is ${name}`,
            },
          ]}
          ways={[
            {
              label: 'Register certificate',
              run: ({ certificate }) =>
                call('POST /participants/{name}/certificates/registrations', {
                  name,
                  body: { certificate: `${certificate}\n` },
                }),
              done: `It identifies ${name} from now on, in addition to the others.`,
            },
          ]}
        />
      )}
    </Card>
  )
}

function stateOf({ validTo, revokedAt }: RegisteredCertificate, now: number): string {
  if (revokedAt !== null) return 'REVOKED'
  return Date.parse(validTo) <= now ? 'ENDED' : 'VALID'
}

function Revoke({ name, serial }: { name: string; serial: string }) {
  return (
    <AskButton
      label="Revoke"
      of={serial}
      kind="danger"
      title={`Revoke certificate ${serial}?`}
      text={
        <p>
          It identifies {name} no longer, on open connections too. It cannot be registered again.
        </p>
      }
      way={{
        label: 'Revoke certificate',
        isDangerous: true,
        run: () => call('DELETE /participants/{name}/certificates/{serial}', { name, serial }),
      }}
    />
  )
}
