import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { cleanSearch } from '../routes/clean-search.ts'
import { UsageExplorer } from './usage-explorer.tsx'

export function UsagePage() {
  const { t } = useTranslation()
  const search = useSearch({ from: '/shell/usage' })
  const navigate = useNavigate({ from: '/usage' })
  return (
    <UsageExplorer
      title={t('usage.title')}
      text={t('usage.text')}
      search={search}
      onSearch={(change) => void navigate({ search: (old) => cleanSearch({ ...old, ...change }) })}
      withAccount={false}
    />
  )
}
