import { Code } from '@mantine/core'
import { useTranslation } from 'react-i18next'

const command = 'tollgate sign-in-link'
const place = '{{command}}'

/** A text with the command that prints a new sign-in link. The command is not broken into two lines. */
export function CommandText({ text }: { text: 'signIn.noPassword' | 'signIn.linkSpent' }) {
  const { t } = useTranslation()
  const [before, after] = t(text, { command: place }).split(place)
  return (
    <>
      {before}
      <Code style={{ whiteSpace: 'nowrap' }}>{command}</Code>
      {after}
    </>
  )
}
