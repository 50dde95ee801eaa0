import '@mantine/dates/styles.css'
import type { InputWrapperProps, MantineSize } from '@mantine/core'
import { DateTimePicker } from '@mantine/dates'
import { useTranslation } from 'react-i18next'
import { calendarFormat } from '../../format/calendar.ts'
import { memoized } from '../../parts/forms/memoized.tsx'

interface MomentInputProps
  extends Pick<InputWrapperProps, 'label' | 'description' | 'error' | 'aria-label'> {
  readonly value?: number | null
  readonly onChange: (value: number | null) => void
  readonly placeholder?: string
  readonly size?: MantineSize
  readonly w?: number
}

/** Date and time in the user's time zone; null if empty. */
export const MomentInput = memoized(function MomentInput({
  value,
  onChange,
  ...props
}: MomentInputProps) {
  const { t, i18n } = useTranslation()
  return (
    <DateTimePicker
      {...props}
      valueFormat="YYYY-MM-DD HH:mm"
      {...calendarFormat(i18n.language)}
      clearable
      clearButtonProps={{ 'aria-label': t('operate.clear') }}
      previousLabel={t('moment.previous')}
      nextLabel={t('moment.next')}
      timePickerProps={{
        hoursInputLabel: t('moment.hours'),
        minutesInputLabel: t('moment.minutes'),
      }}
      submitButtonProps={{ 'aria-label': t('operate.take') }}
      value={value === undefined || value === null ? null : localText(value)}
      onChange={(text) => {
        const atMs = text === null ? Number.NaN : new Date(text.replace(' ', 'T')).getTime()
        onChange(Number.isNaN(atMs) ? null : atMs)
      }}
    />
  )
})

function localText(atMs: number): string {
  const offsetMs = new Date(atMs).getTimezoneOffset() * 60_000
  return new Date(atMs - offsetMs).toISOString().slice(0, 19).replace('T', ' ')
}
