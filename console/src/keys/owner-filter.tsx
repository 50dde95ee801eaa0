import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { accountQuery, sessionQuery } from '../api/queries.ts'
import { Select } from '../parts/forms/select.tsx'
import { ownerFilters } from './use-key-filters.ts'

interface OwnerFilterProps {
  readonly owner: string | undefined
  readonly onChange: (owner: string | undefined) => void
}

/** Restricts the key list to the keys of one owner. */
export function OwnerFilter({ owner, onChange }: OwnerFilterProps) {
  const { t } = useTranslation()
  const { account: chosen } = useSearch({ from: '/shell/keys' })
  const accounts = useQuery(sessionQuery).data?.accounts ?? []
  const account = chosen ?? (accounts.length === 1 ? accounts[0]?.id : undefined)
  const members = useQuery({ ...accountQuery(account ?? ''), enabled: account !== undefined })
  const choices = [
    ...ownerFilters.map((value) => ({ value: value as string, label: t(`keys.filter.${value}`) })),
    ...(members.data?.members ?? []).map(({ userId, email }) => ({ value: userId, label: email })),
  ]
  const isListed = owner === undefined || choices.some(({ value }) => value === owner)
  return (
    <Select
      aria-label={t('keys.owner')}
      placeholder={t('keys.filter.all')}
      w={{ base: '100%', xs: 190 }}
      clearable
      searchable
      nothingFoundMessage={t('nothingFound')}
      data={isListed ? choices : [{ value: owner, label: owner }, ...choices]}
      value={owner ?? null}
      onChange={(next) => onChange(next ?? undefined)}
    />
  )
}
