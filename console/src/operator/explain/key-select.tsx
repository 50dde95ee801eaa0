import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyRow } from '../../../../src/console-api/contract.ts'
import { keysQuery } from '../../api/queries.ts'
import { useErrorText } from '../../parts/feedback/use-error-text.ts'
import { Select } from '../../parts/forms/select.tsx'
import { useQuietText } from '../../parts/forms/use-quiet-text.ts'

/** Selects a key; the search covers all accounts. */
export function KeySelect(props: {
  label: string
  value: KeyRow | undefined
  onChange: (key: KeyRow | undefined) => void
}) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const { value } = props
  const [text, setText] = useState('')
  const search = useQuietText(text)
  const isOwnText = value !== undefined && search === labelOf(value)
  const keys = useInfiniteQuery(keysQuery(undefined, search === '' || isOwnText ? {} : { search }))
  const found = keys.data?.pages.flatMap((page) => page.keys) ?? []
  const shown = value && found.every(({ id }) => id !== value.id) ? [value, ...found] : found
  return (
    <Select
      label={props.label}
      placeholder={t('explain.chooseKey')}
      data={shown.map((key) => ({ value: key.id, label: labelOf(key) }))}
      searchable
      searchValue={text}
      onSearchChange={setText}
      filter={({ options }) => options}
      error={keys.error && errorText(keys.error)}
      value={value?.id ?? null}
      onChange={(id) => props.onChange(shown.find((key) => key.id === id))}
    />
  )
}

function labelOf(key: KeyRow): string {
  return `${key.name} · ${key.accountId}`
}
