import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { TestAnswer } from '../../../src/console-api/contract.ts'
import { messagesKey } from '../api/queries.ts'
import { useDeliveryText } from '../codes/use-delivery-text.ts'
import { notifyFailure, notifySuccess } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'

/** Tells whether a test message was delivered, and refreshes the list of messages. */
export function useTestNotification() {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const deliveryText = useDeliveryText()
  const queries = useQueryClient()
  return {
    onSuccess: ({ problem }: TestAnswer) => {
      if (problem === null) notifySuccess(t('alerts.testSent'))
      else notifyFailure(t('alerts.testFailed', { problem: deliveryText(problem) }))
    },
    onError: (error: Error) => notifyFailure(errorText(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: messagesKey }),
  }
}
