import '@mantine/dates/styles.css'
import { Input, SegmentedControl, Stack } from '@mantine/core'
import { DateTimePicker } from '@mantine/dates'
import { useTranslation } from 'react-i18next'
import { calendarFormat } from '../format/calendar.ts'
import { memoized } from '../parts/forms/memoized.tsx'
import type { ExpiryChoice } from './key-form-values.ts'

const choices: readonly ExpiryChoice[] = ['never', '30', '90', '365', 'custom']

interface ExpiryFieldProps {
  readonly expiry: ExpiryChoice
  readonly expiresAt: string
  readonly error: string | undefined
  readonly onChange: (change: { expiry?: ExpiryChoice; expiresAt?: string }) => void
}

export const ExpiryField = memoized(function ExpiryField({
  expiry,
  expiresAt,
  error,
  onChange,
}: ExpiryFieldProps) {
  const { t, i18n } = useTranslation()
  return (
    <Input.Wrapper label={t('keys.form.expiry')} labelElement="div">
      <Stack gap="xs" mt={4}>
        <SegmentedControl
          aria-label={t('keys.form.expiry')}
          fullWidth
          size="xs"
          data={choices.map((value) => ({ value, label: t(`keys.form.expiry.${value}`) }))}
          value={expiry}
          onChange={(value) =>
            onChange({ expiry: choices.find((each) => each === value) ?? 'never' })
          }
        />
        {expiry === 'custom' && (
          <DateTimePicker
            aria-label={t('keys.form.expiryAt')}
            placeholder={t('keys.form.expiryAt')}
            valueFormat="YYYY-MM-DD HH:mm"
            {...calendarFormat(i18n.language)}
            value={expiresAt === '' ? null : expiresAt}
            error={error}
            onChange={(value) => onChange({ expiresAt: value ?? '' })}
          />
        )}
      </Stack>
    </Input.Wrapper>
  )
})
