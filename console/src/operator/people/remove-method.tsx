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
  app: {
    route: 'POST /operate/users/{id}/totp/remove',
    action: 'people.removeApp',
    title: 'people.removeAppTitle',
    text: 'people.removeAppText',
  },
  passkeys: {
    route: 'POST /operate/users/{id}/passkeys/remove',
    action: 'people.removePasskeys',
    title: 'people.removePasskeysTitle',
    text: 'people.removePasskeysText',
  },
  openId: {
    route: 'POST /operate/users/{id}/open-id/remove',
    action: 'people.unlink',
    title: 'people.unlinkTitle',
    text: 'people.unlinkText',
  },
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
  const { route, action, title, text } = methods[method]
  const remove = useChange(() => runFresh(() => call(route, { params: { id: user.id } })), {
    onDone: (answer) => answer && notifySuccess(t('operate.saved')),
  })
  const confirm = () =>
    ask({
      title: t(title, { email: user.email }),
      text: t(text),
      action: t(action),
      onYes: () => remove.mutate(),
    })
  return (
    <>
      <Button variant="light" color="orange" size="xs" loading={remove.isPending} onClick={confirm}>
        {t(action)}
      </Button>
      {dialog}
      {confirmation}
    </>
  )
}
