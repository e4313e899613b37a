/** A new FSP: one person asks for it, another approves it. */
import { call } from '../api.ts'
import { Card, ChangeForm, type Values } from '../ui.tsx'

type NewFsp = 'name' | 'currency' | 'limit' | 'callback'

export function Onboarding() {
  return (
    <Card title="A new FSP">
      <ChangeForm<NewFsp>
        fields={[
          { name: 'name', label: 'Name' },
          { name: 'currency', label: 'Currency', initial: 'USD' },
          { name: 'limit', label: 'Net debit cap', inputMode: 'decimal' },
          { name: 'callback', label: 'Callback address', type: 'url' },
        ]}
        submit="Ask for approval"
        run={propose}
        done="Asked for. Another person finds it under Approvals."
      />
    </Card>
  )
}

function propose({ name, currency, limit, callback }: Values<NewFsp>) {
  return call('POST', '/CreateParticipant', {
    requestId: crypto.randomUUID(),
    name,
    type: 'DFSP',
    currencies: [currency],
    accounts: [{ ledgerAccountType: 'POSITION', currency, limit, alarmPercentage: '10' }],
    endpoints: [{ type: 'FSPIOP_CALLBACK_URL', value: callback }],
  })
}
