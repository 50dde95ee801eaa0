import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { memoized } from './memoized.tsx'

/** A password input whose button has a translated label. */
export const SecretInput = memoized(function SecretInput(props: PasswordInputProps) {
  const { t } = useTranslation()
  return (
    <PasswordInput visibilityToggleButtonProps={{ 'aria-label': t('secret.toggle') }} {...props} />
  )
})
