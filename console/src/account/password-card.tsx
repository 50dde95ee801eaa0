import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { SignedInUser } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { sessionQuery, sessionsQuery } from '../api/queries.ts'
import { Dialog } from '../parts/dialogs/dialog.tsx'
import { notifySuccess } from '../parts/feedback/notify.ts'
import { PasswordForm } from '../parts/forms/password-form.tsx'
import { useFreshSignIn } from '../parts/fresh-sign-in/use-fresh-sign-in.tsx'
import { invitedSignInUrl } from '../sign-in/invited-account.ts'
import { SettingRow } from './setting-row.tsx'

export function PasswordCard({ user }: { user: SignedInUser }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const [isOpen, { open, close }] = useDisclosure()
  const [runFresh, freshDialog] = useFreshSignIn()
  const save = async (password: string) => {
    const done = await runFresh(() => call('POST /password', { body: { password } }))
    if (!done) return
    notifySuccess(t('password.saved'))
    close()
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  }
  const label = user.hasPassword ? t('password.change') : t('password.set')
  const state = t(stateKeyOf(user))
  const invited = user.hasPassword ? user.invitedTo : null
  const text = (
    <>
      {state}
      {invited !== null && <div>{t('password.invited', { url: invitedSignInUrl(invited) })}</div>}
    </>
  )
  return (
    <SettingRow title={t('password.title')} text={text}>
      <Button
        variant={stateKeyOf(user) === 'password.hasNone' ? 'filled' : 'default'}
        onClick={open}
      >
        {label}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={label}>
        <PasswordForm submitLabel={t('password.save')} onSave={save} />
      </Dialog>
      {freshDialog}
    </SettingRow>
  )
}

/** Only a user without any way to sign in again has to set a password. */
function stateKeyOf({ hasPassword, hasPasskey, hasOpenId }: SignedInUser) {
  if (hasPassword) return 'password.has'
  if (hasPasskey) return 'password.hasPasskey'
  return hasOpenId ? 'password.hasOpenId' : 'password.hasNone'
}
