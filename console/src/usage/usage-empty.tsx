import { IconSend } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../parts/empty-state.tsx'
import { exampleCommand } from '../parts/example-command.ts'

export function UsageEmpty({ model }: { model: string | null }) {
  const { t } = useTranslation()
  return (
    <EmptyState
      icon={<IconSend />}
      title={t('usage.emptyTitle')}
      text={t('usage.emptyText')}
      command={exampleCommand(model)}
    />
  )
}
