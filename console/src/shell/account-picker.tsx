import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { sessionQuery } from '../api/queries.ts'
import { Select } from '../parts/forms/select.tsx'
import { useAccount } from './use-account.ts'
import { useOneAccount } from './use-one-account.ts'

/**
 * Selects the account of a page about one account. Renders nothing if there is no choice or the header already has it.
 */
export function AccountPicker() {
  const { t } = useTranslation()
  const account = useOneAccount()
  const chosen = useAccount()
  const navigate = useNavigate()
  const accounts = useQuery(sessionQuery).data?.accounts ?? []
  if (accounts.length < 2) return null
  return (
    <Select
      aria-label={t('account.choose')}
      {...(chosen !== undefined && { hiddenFrom: 'sm' })}
      data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
      value={account ?? null}
      allowDeselect={false}
      searchable={accounts.length > 8}
      onChange={(id) => id !== null && void navigate({ to: '.', search: { account: id } })}
    />
  )
}
