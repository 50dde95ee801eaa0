import '@mantine/dates/styles.css'
import { Stack, Text, TextInput } from '@mantine/core'
import { DatePickerInput } from '@mantine/dates'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { incompleteJsonLine } from '../../../src/console-api/contract.ts'
import { fetchFile } from '../api/client.ts'
import { calendarFormat } from '../format/calendar.ts'
import { notifyFailure } from '../parts/feedback/notify.ts'
import { Select } from '../parts/forms/select.tsx'
import { SubmitRow } from '../parts/forms/submit-row.tsx'
import { useFreshSignIn } from '../parts/fresh-sign-in/use-fresh-sign-in.tsx'
import { saveFile } from '../parts/values/save-file.ts'
import { useKeyChoices } from './use-key-choices.ts'

interface ExportFormProps {
  readonly account: string
  readonly onDone: () => void
}

/** Exports recordings with their contents as JSON Lines. Days are in the user's time zone. */
export function ExportForm({ account, onDone }: ExportFormProps) {
  const { t, i18n } = useTranslation()
  const [runFresh, freshDialog] = useFreshSignIn()
  const [key, setKey] = useState<string | null>(null)
  const [endUser, setEndUser] = useState('')
  const [[first, last], setDays] = useState<[string | null, string | null]>([null, null])
  const keyChoices = useKeyChoices(account, key === null ? [] : [key])
  const start = useMutation({
    mutationFn: () => {
      const query = {
        key: key ?? undefined,
        endUser: endUser === '' ? undefined : endUser,
        from: first === null ? undefined : String(dayStartMs(first, 0)),
        to: last === null ? undefined : String(dayStartMs(last, 1)),
      }
      return runFresh(() =>
        fetchFile('POST /accounts/{id}/recordings/export', { params: { id: account }, query }),
      )
    },
    onSuccess: async (file) => {
      if (!file) return
      saveFile('recordings.ndjson', file)
      const end = await file.slice(-incompleteJsonLine.length).text()
      if (end === incompleteJsonLine) notifyFailure(t('recording.incomplete'))
      onDone()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start.mutate()
  }
  return (
    <>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{t('recording.exportHint')}</Text>
          <DatePickerInput
            type="range"
            allowSingleDateInRange
            clearable
            label={t('filter.days')}
            placeholder={t('filter.any')}
            {...calendarFormat(i18n.language)}
            valueFormat="YYYY-MM-DD"
            value={[first, last]}
            onChange={setDays}
          />
          <Select
            {...keyChoices}
            label={t('usage.key')}
            placeholder={t('filter.any')}
            nothingFoundMessage={t('nothingFound')}
            clearable
            value={key}
            onChange={setKey}
          />
          <TextInput
            label={t('field.endUser')}
            placeholder={t('filter.any')}
            value={endUser}
            onChange={(event) => setEndUser(event.currentTarget.value)}
          />
          <SubmitRow sending={start} label={t('recording.exportOpen')} />
        </Stack>
      </form>
      {/* Outside the form, because a submit in the dialog would also submit the form. */}
      {freshDialog}
    </>
  )
}

/** Midnight of a local day such as 2026-11-15, or of a day after it. */
function dayStartMs(day: string, daysLater: number): number {
  const at = new Date(`${day}T00:00:00`)
  at.setDate(at.getDate() + daysLater)
  return at.getTime()
}
