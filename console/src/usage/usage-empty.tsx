import { useTranslation } from 'react-i18next'
import { IconSend } from '../icons/icons.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { exampleCommand } from '../parts/example-command.ts'
import { useMayChange } from '../shell/use-may-change.ts'

/** Viewers have no keys, so a command that needs one is of no use to them. */
export function UsageEmpty(props: { model: string | null; account: string | undefined }) {
  const { t } = useTranslation()
  const mayChange = useMayChange(props.account)
  if (!mayChange) {
    return (
      <EmptyState icon={<IconSend />} title={t('usage.emptyTitle')} text={t('keys.noneText')} />
    )
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
