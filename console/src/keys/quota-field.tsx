import { Stack, Switch, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatDollars } from '../format/dollars.ts'
import { memoized } from '../parts/forms/memoized.tsx'

interface QuotaFieldProps {
  readonly isLimited: boolean
  readonly quota: string
  readonly spentNano: string | undefined
  readonly error: string | undefined
  readonly onLimit: (isLimited: boolean) => void
  readonly onChange: (quota: string) => void
}

export const QuotaField = memoized(function QuotaField(props: QuotaFieldProps) {
  const { t } = useTranslation()
  const { isLimited, quota, spentNano, error } = props
  return (
    <Stack gap="xs">
      <Switch
        label={t('keys.form.limit')}
        description={t('keys.form.limitText')}
        checked={isLimited}
        onChange={(event) => props.onLimit(event.currentTarget.checked)}
      />
      {isLimited && (
        <TextInput
          aria-label={t('keys.form.quota')}
          leftSection="$"
          inputMode="decimal"
          placeholder="5.00"
          value={quota}
          error={error}
          description={
            spentNano === undefined
              ? undefined
              : t('keys.form.spentSoFar', { amount: formatDollars(spentNano) })
          }
          inputWrapperOrder={['input', 'description', 'error']}
          onChange={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
    </Stack>
  )
})
