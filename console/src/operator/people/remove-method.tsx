import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { UserRow } from '../../../../src/console-api/contract.ts'
import { call } from '../../api/client.ts'
import { useConfirm } from '../../parts/dialogs/use-confirm.tsx'
import { notifySuccess } from '../../parts/feedback/notify.ts'
import { useFreshSignIn } from '../../parts/fresh-sign-in/use-fresh-sign-in.tsx'
import { useChange } from '../use-change.ts'

/** The ways to sign in that an operator can remove from a user. */
const methods = {
  app: { route: 'POST /operate/users/{id}/totp/remove', text: 'people.removeApp' },
  passkeys: { route: 'POST /operate/users/{id}/passkeys/remove', text: 'people.removePasskeys' },
  openId: { route: 'POST /operate/users/{id}/open-id/remove', text: 'people.unlink' },
} as const

interface RemoveMethodProps {
  readonly user: Pick<UserRow, 'id' | 'email'>
  readonly method: keyof typeof methods
}

/** Removes one way to sign in, after a confirmation. */
export function RemoveMethod({ user, method }: RemoveMethodProps) {
  const { t } = useTranslation()
  const [runFresh, dialog] = useFreshSignIn()
  const [ask, confirmation] = useConfirm()
  const { route, text } = methods[method]
  const remove = useChange(() => runFresh(() => call(route, { params: { id: user.id } })), {
    onDone: (answer) => answer && notifySuccess(t('operate.saved')),
  })
  const confirm = () =>
    ask({
      title: t(`${text}Title`, { email: user.email }),
      text: t(`${text}Text`),
      action: t(text),
      onYes: () => remove.mutate(),
    })
  return (
    <>
      <Button variant="light" color="orange" size="xs" loading={remove.isPending} onClick={confirm}>
        {t(text)}
      </Button>
      {dialog}
      {confirmation}
    </>
  )
}
