import { Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyPut, KeyRow } from '../../../src/console-api/contract.ts'
import { keyQuery, keysQuery, sessionQuery } from '../api/queries.ts'
import { IconKey, IconPlus, IconSearch } from '../icons/icons.ts'
import { SearchInput } from '../operator/parts/search-input.tsx'
import { SidePanel } from '../parts/dialogs/side-panel.tsx'
import { PageError } from '../parts/feedback/page-error.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { EmptyState } from '../parts/lists/empty-state.tsx'
import { ListTable } from '../parts/lists/list-table.tsx'
import { useNewest } from '../parts/lists/use-newest.ts'
import { PageHeader } from '../parts/page/page-header.tsx'
import { useMayChange } from '../shell/use-may-change.ts'
import { useNoKeysText } from '../shell/use-no-keys-text.ts'
import { KeyPanel } from './key-panel.tsx'
import { NewKeyPanel } from './new-key-panel.tsx'
import { OwnerFilter } from './owner-filter.tsx'
import { useKeyColumns } from './use-key-columns.tsx'
import { useKeyFilters } from './use-key-filters.ts'
import { useOwnsAccount } from './use-key-rights.ts'

const newKey = 'new'

export function KeysPage() {
  const { t } = useTranslation()
  const { account, key } = useSearch({ from: '/shell/keys' })
  const navigate = useNavigate({ from: '/keys' })
  const filters = useKeyFilters()
  const [made, setMade] = useState<KeyPut>()
  const keys = useInfiniteQuery(keysQuery(account, filters.wanted))
  const rows = keys.data?.pages.flatMap((page) => page.keys)
  const mayChange = useMayChange(account)
  const noKeysText = useNoKeysText()
  const open = (id: string) => void navigate({ search: (old) => ({ ...old, key: id }) })
  const close = useNewest(() => {
    setMade(undefined)
    void navigate({ search: ({ key: _closed, ...rest }) => rest })
  })
  const show = useNewest((answer: KeyPut) => {
    setMade(answer)
    open(answer.key.id)
  })
  const accounts = useQuery(sessionQuery).data?.accounts
  const showsAccount = account === undefined && (accounts?.length ?? 0) > 1
  const nameOf = useCallback(
    (id: string) => accounts?.find((each) => each.id === id)?.name ?? id,
    [accounts],
  )
  const showsOwner = useOwnsAccount(account)
  const columns = useKeyColumns({
    onOpen: ({ id }) => open(id),
    accountName: showsAccount ? nameOf : undefined,
    showsOwner,
    order: filters.order,
    onOrder: filters.setOrder,
  })
  const isFiltered = filters.search !== undefined || filters.owner !== undefined
  const isBare = rows?.length === 0 && !isFiltered
  const newButton = mayChange && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => open(newKey)}>
      {t('keys.new')}
    </Button>
  )
  const clearButton = (
    <Button variant="default" onClick={filters.clear}>
      {t('filter.clear')}
    </Button>
  )
  return (
    <>
      <PageHeader title={t('keys.title')} text={t('keys.text')}>
        {!isBare && (
          <SearchInput
            label={t('keys.search')}
            value={filters.search}
            onSearch={filters.setSearch}
          />
        )}
        {!isBare && showsOwner && <OwnerFilter owner={filters.owner} onChange={filters.setOwner} />}
        {!isBare && newButton}
      </PageHeader>
      <ListTable<KeyRow>
        rows={rows}
        columns={columns}
        idOf={({ id }) => id}
        onOpen={({ id }) => open(id)}
        query={keys}
        empty={
          isBare ? (
            <EmptyState
              icon={<IconKey />}
              title={mayChange ? t('keys.emptyTitle') : t('keys.noneTitle')}
              text={mayChange ? t('keys.emptyText') : noKeysText}
              action={newButton}
            />
          ) : (
            <EmptyState icon={<IconSearch />} title={t('nothingFound')} action={clearButton} />
          )
        }
      />
      <SidePanel isOpen={key === newKey && mayChange} onClose={close} title={t('keys.new')}>
        <NewKeyPanel account={account} onClose={close} onMade={show} />
      </SidePanel>
      <OpenedKey id={key === newKey ? undefined : key} rows={rows} made={made} onClose={close} />
    </>
  )
}

function OpenedKey(props: {
  id: string | undefined
  rows: readonly KeyRow[] | undefined
  made: KeyPut | undefined
  onClose: () => void
}) {
  const { id, rows, made, onClose } = props
  const listed = rows?.find((row) => row.id === id)
  const found = useQuery({ ...keyQuery(id ?? ''), enabled: id !== undefined && !listed })
  const row = listed ?? found.data
  return (
    <SidePanel isOpen={id !== undefined} onClose={onClose} title={row?.name ?? ''}>
      {found.error && !row && <PageError error={found.error} reset={() => void found.refetch()} />}
      {!row && !found.error && id !== undefined && <PagePending />}
      {row && id !== undefined && (
        <KeyPanel
          key={row.id}
          row={row}
          newValue={made?.key.id === row.id ? (made.value ?? undefined) : undefined}
          onClose={onClose}
        />
      )}
    </SidePanel>
  )
}
