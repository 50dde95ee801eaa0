import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** The sign-in name, in the pages before sign-in. */
export function EmailInput(props: { value: string; onChange: (email: string) => void }) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={t('signIn.email')}
      type="email"
      autoComplete="username"
      required
      withAsterisk={false}
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  )
}
