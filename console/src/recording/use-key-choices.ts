import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keysQuery } from '../api/queries.ts'
import { useQuietText } from '../parts/forms/use-quiet-text.ts'

/** Keys of an account for a select that searches in all of them. Chosen keys that are not found show their ids. */
export function useKeyChoices(account: string, chosen: readonly string[]) {
  const [text, setText] = useState('')
  const search = useQuietText(text)
  const first = useInfiniteQuery(keysQuery(account))
  const found = useInfiniteQuery(keysQuery(account, search === '' ? {} : { search }))
  const names = new Map(chosen.map((id) => [id, id]))
  for (const { data } of [first, found]) {
    for (const { id, name } of data?.pages.flatMap(({ keys }) => keys) ?? []) names.set(id, name)
  }
  return {
    data: [...names].map(([value, label]) => ({ value, label })),
    searchable: true,
    searchValue: text,
    onSearchChange: setText,
  }
}
