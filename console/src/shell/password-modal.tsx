import { Button, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  type DoneAnswer,
  passwordCharactersMax,
  passwordCharactersMin,
  type SetPasswordRequest,
} from '../../../src/console-api/contract.ts'
import { post } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'
import { useErrorText } from '../parts/use-error-text.ts'

export function PasswordModal({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('password.title')}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <PasswordForm onDone={onClose} />
    </Modal>
  )
}

function PasswordForm({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [isTried, setTried] = useState(false)
  const count = passwordCharactersMin
  const shortError = password.length < count ? t('password.short', { count }) : null
  const againError = password === again ? null : t('password.differs')
  const save = useMutation({
    mutationFn: (body: SetPasswordRequest) => post<DoneAnswer>('/password', body),
    onSuccess: async () => {
      notifications.show({ message: t('password.saved') })
      onDone()
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (shortError === null && againError === null) save.mutate({ password })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <PasswordInput
          label={t('password.new')}
          description={t('password.hint', { count })}
          autoComplete="new-password"
          maxLength={passwordCharactersMax}
          value={password}
          error={isTried && shortError}
          onChange={(event) => setPassword(event.currentTarget.value)}
          data-autofocus
        />
        <PasswordInput
          label={t('password.again')}
          autoComplete="new-password"
          maxLength={passwordCharactersMax}
          value={again}
          error={isTried && againError}
          onChange={(event) => setAgain(event.currentTarget.value)}
        />
        {save.error && (
          <Text size="sm" c="red" role="alert">
            {errorText(save.error)}
          </Text>
        )}
        <Button type="submit" loading={save.isPending}>
          {t('password.save')}
        </Button>
      </Stack>
    </form>
  )
}
