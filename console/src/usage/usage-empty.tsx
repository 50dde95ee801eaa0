import { useTranslation } from 'react-i18next'
import { IconSend } from '../icons/icons.ts'
import { EmptyState } from '../parts/lists/empty-state.tsx'
import { useMayChange } from '../shell/use-may-change.ts'
import { useNoKeysText } from '../shell/use-no-keys-text.ts'

/** Viewers have no keys, so a command that needs one is of no use to them. */
export function UsageEmpty(props: { model: string | null; account: string | undefined }) {
  const { t } = useTranslation()
  const mayChange = useMayChange(props.account)
  const noKeysText = useNoKeysText()
  if (!mayChange) {
    return <EmptyState icon={<IconSend />} title={t('usage.emptyTitle')} text={noKeysText} />
  }
  return (
    <EmptyState
      icon={<IconSend />}
      title={t('usage.emptyTitle')}
      text={t('usage.emptyText')}
      command={exampleCommand(props.model)}
    />
  )
}

/** A command that works when pasted if TOLLGATE_KEY is set. */
function exampleCommand(model: string | null): string {
  return [
    `curl ${window.location.origin}/v1/chat/completions \\`,
    '  -H "Authorization: Bearer $TOLLGATE_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"model":"${model ?? '<model id>'}","messages":[{"role":"user","content":"Hello"}]}'`,
  ].join('\n')
}
