import { type BoxProps, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { sessionQuery } from '../api/queries.ts'
import { Select } from '../parts/forms/select.tsx'
import { useAccount } from './use-account.ts'

/** Selects the account for all pages. With a single account only its name is shown. */
export function AccountSwitch(props: BoxProps) {
  const { t } = useTranslation()
  const account = useAccount()
  const navigate = useNavigate()
  const accounts = useQuery(sessionQuery).data?.accounts ?? []
  const names = accounts.map(({ id, name }) => ({ value: id, label: name }))
  const options = names.length > 1 ? [{ value: '', label: t('account.all') }, ...names] : names
  if (options.length < 2) {
    return (
      <Text {...props} size="sm" c="dimmed" px="xs" truncate>
        {options[0]?.label ?? t('account.none')}
      </Text>
    )
  }
  return (
    <Select
      {...props}
      aria-label={t('account.label')}
      data={options}
      value={account ?? options[0]?.value ?? null}
      searchable={options.length > 8}
      allowDeselect={false}
      size="xs"
      onChange={(id) =>
        void navigate({ to: '.', search: id === null || id === '' ? {} : { account: id } })
      }
    />
  )
}
