import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** An input that hides what is typed; its button says in the reader's language what it does. */
export function SecretInput(props: PasswordInputProps) {
  const { t } = useTranslation()
  return (
    <PasswordInput visibilityToggleButtonProps={{ 'aria-label': t('secret.toggle') }} {...props} />
  )
}
