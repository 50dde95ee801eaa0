import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { keySorts } from '../../../src/console-api/contract.ts'
import { type KeySort, type KeysWanted, sessionQuery } from '../api/queries.ts'
import type { ListOrder } from '../parts/lists/sort-title.tsx'
import { useNewest } from '../parts/lists/use-newest.ts'

/** The filters by owner that are not the id of a user. */
export const ownerFilters = ['mine', 'service', 'stopped'] as const

export interface KeyFilters {
  readonly search: string | undefined
  /** One of `ownerFilters`, or the id of a user. */
  readonly owner: string | undefined
  readonly order: ListOrder<KeySort>
  /** The same filters as the back end expects them. */
  readonly wanted: KeysWanted
  setSearch(search: string | undefined): void
  setOwner(owner: string | undefined): void
  setOrder(order: ListOrder<KeySort>): void
  /** Removes search and filter. */
  clear(): void
}

/** Search, filter and order of the key list. They are in the URL, so that a reload and a link keep them. */
export function useKeyFilters(): KeyFilters {
  const { search, owner, sort, order: direction } = useSearch({ from: '/shell/keys' })
  const navigate = useNavigate({ from: '/keys' })
  const userId = useQuery(sessionQuery).data?.user?.id
  const by = keySorts.find((each) => each === sort) ?? 'created'
  const isDescending = direction === undefined ? by === 'created' : direction === 'desc'
  const order = useMemo(() => ({ by, isDescending }), [by, isDescending])
  const change = (next: Readonly<Record<string, string | undefined>>) =>
    void navigate({ search: (old) => ({ ...old, ...next }), replace: true })
  return {
    search,
    owner,
    order,
    wanted: {
      search,
      ...wantedOwner(owner, userId),
      sort: by,
      order: isDescending ? 'desc' : 'asc',
    },
    setSearch: (text) => change({ search: text }),
    setOwner: (next) => change({ owner: next }),
    clear: () => change({ search: undefined, owner: undefined }),
    setOrder: useNewest((next: ListOrder<KeySort>) =>
      change({ sort: next.by, order: next.isDescending ? 'desc' : 'asc' }),
    ),
  }
}

function wantedOwner(owner: string | undefined, userId: string | undefined) {
  if (owner === 'service') return { kind: 'service' } as const
  if (owner === 'stopped') return { state: 'stopped' } as const
  return { user: owner === 'mine' ? userId : owner }
}
