import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { call } from '../api/client.ts'
import { messagesKey } from '../api/queries.ts'
import { IconSend } from '../icons/icons.ts'
import { notifyFailure, notifySuccess } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'

/** Queues a failed message again. */
export function ResendButton({ id }: { readonly id: string }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const resend = useMutation({
    mutationFn: () => call('POST /messages/{id}/resend', { params: { id } }),
    onSuccess: () => notifySuccess(t('messages.resent')),
    onError: (error) => notifyFailure(errorText(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: messagesKey }),
  })
  return (
    <Button
      size="compact-xs"
      variant="light"
      display="block"
      mt={4}
      leftSection={<IconSend size={14} />}
      loading={resend.isPending}
      onClick={() => resend.mutate()}
    >
      {t('messages.resend')}
    </Button>
  )
}
