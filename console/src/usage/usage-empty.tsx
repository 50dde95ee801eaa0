import { IconSend } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../parts/lists/empty-state.tsx'
import { useMayChange } from '../shell/use-may-change.ts'
import { exampleCommand } from './example-command.ts'

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
