import { Radio, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { memoized } from '../parts/forms/memoized.tsx'

interface KeyKindFieldProps {
  /** An operator who is not a member creates service keys only. */
  readonly mayOwn: boolean
  readonly isService: boolean
  readonly onChange: (isService: boolean) => void
}

/** Owners of an account choose the owner of a new key: themselves, or the account. */
export const KeyKindField = memoized(function KeyKindField({
  mayOwn,
  isService,
  onChange,
}: KeyKindFieldProps) {
  const { t } = useTranslation()
  return (
    <Radio.Group
      label={t('keys.kind')}
      value={isService || !mayOwn ? 'service' : 'personal'}
      onChange={(kind) => onChange(kind === 'service')}
    >
      <Stack gap="xs" mt={6}>
        <Radio
          value="personal"
          disabled={!mayOwn}
          label={t('keys.personal')}
          description={mayOwn ? t('keys.personalText') : t('keys.personalNone')}
        />
        <Radio value="service" label={t('keys.service')} description={t('keys.serviceText')} />
      </Stack>
    </Radio.Group>
  )
})
