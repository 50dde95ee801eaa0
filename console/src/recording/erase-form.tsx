import { Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { endUserKind } from '../../../src/recording/definition/end-user.ts'
import { call } from '../api/client.ts'
import { recordingQuery } from '../api/queries.ts'
import { useConfirm } from '../parts/dialogs/use-confirm.tsx'
import { notifySuccess } from '../parts/feedback/notify.ts'
import { SubmitRow } from '../parts/forms/submit-row.tsx'
import { textLimit } from '../parts/forms/text-limit.ts'

interface EraseFormProps {
  readonly account: string
  readonly onDone: () => void
}

/** The id is sent as it was typed: spaces may belong to it. */
export function EraseForm({ account, onDone }: EraseFormProps) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const [ask, confirmation] = useConfirm()
  const [endUser, setEndUser] = useState('')
  const [isIncomplete, setIncomplete] = useState(false)
  const erase = useMutation({
    mutationFn: () =>
      call('POST /accounts/{id}/recordings/erase', { params: { id: account }, body: { endUser } }),
    onSuccess: async ({ erased }) => {
      notifySuccess(t('recording.erased', { count: erased }))
      onDone()
      await queries.invalidateQueries({ queryKey: recordingQuery(account).queryKey })
      await queries.invalidateQueries({ queryKey: ['recorded', account] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIncomplete(endUser === '')
    if (endUser === '') return
    ask({
      title: t('recording.eraseTitle', { id: endUser }),
      text: t('recording.eraseWarning'),
      action: t('recording.eraseAction'),
      onYes: () => erase.mutate(),
    })
  }
  return (
    <>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm">{t('recording.eraseHint')}</Text>
          <TextInput
            label={t('field.endUser')}
            required
            withAsterisk={false}
            {...textLimit(endUserKind)}
            value={endUser}
            error={isIncomplete && endUser === '' && t('recording.endUserNeeded')}
            onChange={(event) => setEndUser(event.currentTarget.value)}
            data-autofocus
          />
          <SubmitRow sending={erase} label={t('recording.eraseAction')} color="red" />
        </Stack>
      </form>
      {confirmation}
    </>
  )
}
