/** A new FSP: one operator requests it, another approves it. */
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { ChangeForm, type FormValues } from '../../change.tsx'
import { Card } from '../../ui.tsx'
import type { Participant } from '../../generated/operator-api.ts'

type NewFsp = 'name' | 'currency' | 'limit' | 'callback'

export function Onboarding({ participants }: { participants: readonly Participant[] }) {
  const { may } = useOperator()
  if (!may('CREATE_PARTICIPANT')) return null
  const currencies = currenciesOfScheme(participants)
  return (
    <Card title="Add FSP">
      {currencies.length === 0 ? (
        <p>
          The scheme has no currency yet. Open the hub’s accounts and a settlement model first:{' '}
          <code>POST /participants/Hub/accounts</code>, <code>POST /settlementModels</code>; see{' '}
          <a href="/docs">the API</a>.
        </p>
      ) : (
        <ChangeForm<NewFsp>
          fields={[
            { name: 'name', label: 'Name', hint: '2 to 30 letters, digits, _, . and -' },
            { name: 'currency', label: 'Currency', options: currencies },
            { name: 'limit', label: 'Net debit cap', inputMode: 'decimal' },
            { name: 'callback', label: 'Callback address', type: 'url' },
          ]}
          ways={[
            {
              label: 'Submit for approval',
              run: propose,
              done: 'Submitted. Another operator finds it under Approvals.',
            },
          ]}
        />
      )}
    </Card>
  )
}

/** The currencies in which the hub has accounts. */
function currenciesOfScheme(participants: readonly Participant[]): readonly string[] {
  const accounts = participants.flatMap((participant) => participant.accounts)
  const own = accounts.filter(({ ledgerAccountType: type }) => type === 'HUB_RECONCILIATION')
  return [...new Set(own.map(({ currency }) => currency))].toSorted()
}

function propose({ name, currency, limit, callback }: FormValues<NewFsp>, requestId: string) {
  return call('POST /CreateParticipant', {
    body: {
      requestId,
      name,
      type: 'DFSP',
      currencies: [currency],
      accounts: [{ ledgerAccountType: 'POSITION', currency, limit, alarmPercentage: '10' }],
      endpoints: [{ type: 'FSPIOP_CALLBACK_URL', value: callback }],
    },
  })
}
