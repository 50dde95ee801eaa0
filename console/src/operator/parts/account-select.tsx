import type { SelectProps } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Select } from '../../parts/forms/select.tsx'
import { useQuietText } from '../../parts/forms/use-quiet-text.ts'
import { accountsQuery } from '../operator-queries.ts'

interface Choice {
  readonly id: string
  readonly name: string
}

/** Selects an account; the search covers all accounts except those in `without`. */
export function AccountSelect(
  props: Omit<SelectProps, 'data' | 'value' | 'onChange'> & {
    without?: readonly string[]
    onChoose: (account: Choice) => void
  },
) {
  const { without = [], onChoose, ...others } = props
  const [text, setText] = useState('')
  const search = useQuietText(text)
  const accounts = useInfiniteQuery(accountsQuery(search === '' ? undefined : search))
  const found = accounts.data?.pages.flatMap((page) => page.accounts) ?? []
  return (
    <Select
      {...others}
      data={found
        .filter(({ id }) => !without.includes(id))
        .map(({ id, name }) => ({ value: id, label: name === id ? id : `${name} (${id})` }))}
      searchable
      searchValue={text}
      onSearchChange={setText}
      filter={({ options }) => options}
      value={null}
      onChange={(id) => {
        const chosen = found.find((account) => account.id === id)
        if (chosen) onChoose(chosen)
        setText('')
      }}
    />
  )
}
