import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AccountRow, OperatorAccountEdit } from '../../../../src/console-api/contract.ts'
import { call } from '../../api/client.ts'
import { useConfirm } from '../../parts/dialogs/use-confirm.tsx'
import { useChange } from '../use-change.ts'

/** Suspends or resumes an account. */
export function SuspendAccount({ account }: { account: AccountRow }) {
  const { t } = useTranslation()
  const [ask, dialog] = useConfirm()
  const isActive = account.status === 'active'
  const change = useChange(
    (edit: OperatorAccountEdit) =>
      call('PATCH /operate/accounts/{id}', { params: { id: account.id }, body: edit }),
    {
      done: ({ status }) => t(status === 'suspended' ? 'people.suspended' : 'people.resumed'),
      optimistic: (update, { status }) =>
        status && update.change('accounts', account.id, { status }),
    },
  )
  if (!isActive) {
    return (
      <Button
        variant="light"
        loading={change.isPending}
        onClick={() => change.mutate({ status: 'active' })}
      >
        {t('people.resume')}
      </Button>
    )
  }
  return (
    <>
      <Button
        variant="subtle"
        color="red"
        loading={change.isPending}
        onClick={() =>
          ask({
            title: t('people.suspendTitle', { name: account.name }),
            text: t('people.suspendText'),
            action: t('people.suspend'),
            onYes: () => change.mutate({ status: 'suspended' }),
          })
        }
      >
        {t('people.suspend')}
      </Button>
      {dialog}
    </>
  )
}
