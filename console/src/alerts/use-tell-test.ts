import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { TestAnswer } from '../../../src/console-api/contract.ts'
import { messagesKey } from '../api/queries.ts'
import { tellDone, tellFailed } from '../parts/feedback/tell.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'

/** Tells whether a test message was delivered, and refreshes the list of messages. */
export function useTellTest() {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  return {
    onSuccess: ({ problem }: TestAnswer) => {
      if (problem === null) tellDone(t('alerts.testSent'))
      else tellFailed(t('alerts.testFailed', { problem }))
    },
    onError: (error: Error) => tellFailed(errorText(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: messagesKey }),
  }
}
