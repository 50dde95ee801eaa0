import { Alert, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { call } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'
import { IconCheck } from '../icons/icons.ts'
import { notifySuccess } from '../parts/feedback/notify.ts'
import { PasswordForm } from '../parts/forms/password-form.tsx'
import { StepButtons } from './step-buttons.tsx'

export function PasswordStep({ onNext }: { onNext: () => void }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const user = useQuery(sessionQuery).data?.user
  const hasPassword = user?.hasPassword ?? false
  const save = async (password: string) => {
    await call('POST /password', { body: { password } })
    notifySuccess(t('password.saved'))
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    onNext()
  }
  return (
    <Stack gap="md">
      <Text size="sm">{t('setup.passwordText', { email: user?.email ?? '' })}</Text>
      {hasPassword ? (
        <Alert color="teal" icon={<IconCheck />}>
          {t('setup.passwordDone')}
        </Alert>
      ) : (
        <PasswordForm submitLabel={t('password.save')} onSave={save} />
      )}
      <StepButtons onNext={onNext} isDone={hasPassword} />
    </Stack>
  )
}
