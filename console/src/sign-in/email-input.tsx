import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** The sign-in name, in the pages before sign-in. */
export function EmailInput(props: {
  value: string
  onChange: (email: string) => void
  /** Whether the browser may offer passkeys here. */
  hasPasskeys?: boolean
  error?: string | undefined
}) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={t('signIn.email')}
      type="email"
      autoComplete={props.hasPasskeys ? 'username webauthn' : 'username'}
      required
      withAsterisk={false}
      value={props.value}
      error={props.error}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  )
}
