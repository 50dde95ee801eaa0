import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { cleanSearch } from '../../routes/clean-search.ts'
import { UsageExplorer } from '../../usage/usage-explorer.tsx'

export function AllUsagePage() {
  const { t } = useTranslation()
  const search = useSearch({ from: '/shell/operate/usage' })
  const navigate = useNavigate({ from: '/operate/usage' })
  return (
    <UsageExplorer
      title={t('nav.allUsage')}
      text={t('operate.allUsageText')}
      search={search}
      onSearch={(change) => void navigate({ search: (old) => cleanSearch({ ...old, ...change }) })}
      withAccount
    />
  )
}
