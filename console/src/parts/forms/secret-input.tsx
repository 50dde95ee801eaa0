import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { steady } from './steady.tsx'

/** A password input whose button has a translated label. */
export const SecretInput = steady(function SecretInput(props: PasswordInputProps) {
  const { t } = useTranslation()
  return (
    <PasswordInput visibilityToggleButtonProps={{ 'aria-label': t('secret.toggle') }} {...props} />
  )
})
